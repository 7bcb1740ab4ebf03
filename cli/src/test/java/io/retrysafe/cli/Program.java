// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The command in a process of its own. */
final class Program implements AutoCloseable {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Process process;
  private final Path out;
  private final Path err;

  private Program(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Starts the classes of this build. */
  static Program start(Path folder, Map<String, String> environment, String... args)
      throws IOException {
    return start(
        folder,
        environment,
        List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()),
        args);
  }

  static Program start(
      Path folder, Map<String, String> environment, List<String> java, String... args)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(java);
    command.addAll(List.of(args));
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path err = Files.createTempFile(folder, "err", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("RETRYSAFE_"));
    builder.environment().putAll(environment);
    return new Program(builder.start(), out, err);
  }

  String out() throws IOException {
    return Files.readString(out, StandardCharsets.UTF_8);
  }

  String err() throws IOException {
    return Files.readString(err, StandardCharsets.UTF_8);
  }

  /** Waits until it has printed a line and returns what follows {@code prefix} in it. */
  String line(String prefix) throws Exception {
    Predicate<String> isIt = line -> line.strip().startsWith(prefix);
    Instant end = Instant.now().plus(SOON);
    while (out().lines().noneMatch(isIt)) {
      assertThat(process.isAlive()).as("%s%s", out(), err()).isTrue();
      assertThat(Instant.now()).as("%s%s", out(), err()).isBefore(end);
      Thread.sleep(20);
    }
    String line = out().lines().filter(isIt).findFirst().orElseThrow().strip();
    return line.substring(prefix.length()).strip();
  }

  /** Returns how it ended. */
  int exit() throws Exception {
    assertThat(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).as("it ends").isTrue();
    return process.exitValue();
  }

  /** Sends what Ctrl-C sends, and waits for the end. */
  int interrupt() throws Exception {
    Process kill = new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
    return exit();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
  }
}
