// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** docs/cli.md is what the commands say of themselves; -Dretrysafe.docs=write writes it. */
class CliManualTest {
  private static final Path MANUAL =
      Path.of(System.getProperty("retrysafe.root", "..")).resolve("docs/cli.md");

  @Test
  void theManualIsWhatTheCommandsSay() throws IOException {
    StringBuilder manual =
        new StringBuilder(
            """
            # The command line

            What each command says with `--help`. [Running it](operations.md) shows the ones about operations at work, and
            [configuration](configuration.md) has all settings of `gateway`. Data goes to stdout, the rest to stderr; nothing is ever asked.

            """);
    add(manual, "##", Main.commandLine());
    String text = manual.toString();
    if ("write".equals(System.getProperty("retrysafe.docs"))) {
      Files.writeString(MANUAL, text);
    }
    assertThat(Files.readString(MANUAL))
        .as("run again with -Dretrysafe.docs=write, then look at the difference")
        .isEqualTo(text);
  }

  private static void add(StringBuilder manual, String level, CommandLine command) {
    manual.append(level).append(' ').append(command.getCommandSpec().qualifiedName());
    manual.append("\n\n```\n").append(help(command).strip()).append("\n```\n\n");
    command
        .getSubcommands()
        .values()
        .forEach(each -> add(manual, command.getParent() == null ? "##" : "###", each));
  }

  private static String help(CommandLine command) {
    command.setUsageHelpAutoWidth(false).setUsageHelpWidth(80);
    String usage = command.getUsageMessage(Ansi.OFF);
    return usage.lines().map(String::stripTrailing).reduce("", (a, b) -> a + b + "\n");
  }

  @Test
  void everyCommandThatDoesSomethingHasAnExample() {
    examples(Main.commandLine());
  }

  private static void examples(CommandLine command) {
    if (command.getSubcommands().isEmpty()) {
      assertThat(help(command)).containsPattern("Example: .*retrysafe");
    }
    command.getSubcommands().values().forEach(CliManualTest::examples);
  }

  @Test
  void helpFitsEightyColumns() {
    fits(Main.commandLine());
  }

  private static void fits(CommandLine command) {
    assertThat(help(command).lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    command.getSubcommands().values().forEach(CliManualTest::fits);
  }
}
