// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;

class MainTest {
  private static final String ESCAPE = "\033[";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void theDemoCountsSixChargesAgainstOne() {
    assertThat(demo(Ansi.OFF, new DemoCommand(Duration.ZERO, Shop::retrysafe))).isEqualTo(0);
    assertThat(out.toString())
        .contains("6 charges on Anna's card: EUR 150.00")
        .contains("1 charge on Anna's card: EUR 25.00")
        .contains("6 charges without Retrysafe, 1 with it.")
        .doesNotContain(ESCAPE);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void theDemoFitsEightyColumns() {
    demo(Ansi.OFF, new DemoCommand(Duration.ZERO, Shop::retrysafe));
    assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(80));
  }

  @Test
  void aDemoThatChargesTwiceFails() {
    assertThat(demo(Ansi.OFF, new DemoCommand(Duration.ZERO, Shop::naive))).isEqualTo(1);
    assertThat(err.toString()).contains("let 6 charges through instead of 1");
  }

  @Test
  void aFailureIsOneLineOnStderr() {
    DemoCommand broken =
        new DemoCommand(
            Duration.ZERO,
            bank -> {
              throw new IllegalStateException("no shop today");
            });
    assertThat(demo(Ansi.OFF, broken)).isEqualTo(1);
    assertThat(err.toString().strip()).isEqualTo("retrysafe: no shop today");
  }

  @Test
  void byItselfItShowsItsHelp() {
    assertThat(execute(Main.commandLine())).isEqualTo(0);
    assertThat(out.toString()).startsWith("Usage: retrysafe").contains("demo");
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

  private int demo(Ansi ansi, DemoCommand command) {
    CommandLine commandLine = Main.commandLine();
    commandLine.getCommandSpec().removeSubcommand("demo");
    commandLine.addSubcommand(command);
    commandLine.setColorScheme(Help.defaultColorScheme(ansi));
    return execute(commandLine, "demo");
  }

  private int execute(CommandLine commandLine, String... args) {
    commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return Main.execute(commandLine, args);
  }

  /** What the demo prints in a process of its own, whose environment is {@code environment}. */
  private static String process(Map<String, String> environment) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                java, "-cp", System.getProperty("java.class.path"), Main.class.getName(), "demo"));
    builder.environment().keySet().removeAll(List.of("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"));
    builder.environment().putAll(environment);
    Process process = builder.redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(printed).isEqualTo(0);
    return printed;
  }
}
