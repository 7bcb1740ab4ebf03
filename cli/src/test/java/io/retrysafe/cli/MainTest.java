// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {
  private static final String ESCAPE = "\033[";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void byItselfItShowsItsHelp() {
    assertThat(execute(Main.commandLine())).isEqualTo(0);
    assertThat(out.toString())
        .startsWith("Usage: retrysafe")
        .contains("demo")
        .contains("gateway")
        .contains("config");
  }

  @Test
  void itTellsItsVersion() {
    assertThat(execute(Main.commandLine(), "--version")).isEqualTo(0);
    assertThat(out.toString()).startsWith("retrysafe ");
  }

  @Test
  void anUnknownCommandIsAUsageError() {
    assertThat(execute(Main.commandLine(), "dmeo")).isEqualTo(2);
    assertThat(err.toString()).contains("dmeo");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void coloursAreSwitchedOffByNoColor() throws Exception {
    assertThat(process(Map.of("CLICOLOR_FORCE", "1"))).contains(ESCAPE);
    assertThat(process(Map.of("CLICOLOR_FORCE", "1", "NO_COLOR", "1"))).doesNotContain(ESCAPE);
  }

  @Test
  void thereAreNoColoursWithoutATerminal() throws Exception {
    assertThat(process(Map.of("TERM", "xterm-256color"))).doesNotContain(ESCAPE);
  }

  private int execute(CommandLine commandLine, String... args) {
    commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return Main.execute(commandLine, args);
  }

  /** What help prints in a process of its own, whose environment is {@code environment}. */
  private static String process(Map<String, String> environment) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "--help"));
    builder.environment().keySet().removeAll(List.of("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"));
    builder.environment().putAll(environment);
    Process process = builder.redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(printed).isEqualTo(0);
    return printed;
  }
}
