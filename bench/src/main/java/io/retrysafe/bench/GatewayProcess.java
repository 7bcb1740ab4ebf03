// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A gateway as its users run it: {@code ./retrysafe gateway} in a process of its own, in a JVM like
 * this one.
 */
final class GatewayProcess implements AutoCloseable {
  /** The system property that says where {@code ./retrysafe} is. */
  static final String PROGRAM = "retrysafe.program";

  private static final Pattern READY = Pattern.compile("requests +(http://\\S+)\\s*\n");
  private static final int LAST_LINES = 20;

  private final String name;
  private final ChildProcess process;
  private final Path said;
  private final Path complained;
  private final String url;

  private GatewayProcess(String name, ProcessBuilder builder, Path folder, Duration within)
      throws IOException, InterruptedException {
    this.name = name;
    this.said = folder.resolve(name + ".out");
    this.complained = folder.resolve(name + ".err");
    this.process =
        ChildProcess.start(
            builder.redirectOutput(said.toFile()).redirectError(complained.toFile()));
    try {
      this.url = await(within);
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  /**
   * Starts one and waits until it takes requests. What it prints is kept in {@code folder}.
   *
   * @param name what it and its files are called
   * @param flags settings without their hyphens
   * @throws IOException if it did not start in time; the message has the last of what it printed
   */
  static GatewayProcess start(String name, Map<String, String> flags, Path folder, Duration within)
      throws IOException, InterruptedException {
    String program = System.getProperty(PROGRAM);
    if (program == null) {
      throw new IllegalStateException(
          "system property " + PROGRAM + " must be the path of ./retrysafe, as bench/run sets it");
    }
    ProcessBuilder builder = new ProcessBuilder(program, "gateway");
    flags.forEach((flag, value) -> builder.command().addAll(List.of("--" + flag, value)));
    Map<String, String> environment = builder.environment();
    // Settings of whoever runs this are not those that are measured.
    environment.keySet().removeIf(variable -> variable.startsWith("RETRYSAFE_"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("JDK_JAVA_OPTIONS", sizes());
    return new GatewayProcess(name, builder, folder, within);
  }

  /** Returns the options of this JVM about heap and collector. */
  private static String sizes() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("-X"))
        .collect(Collectors.joining(" "));
  }

  private String await(Duration within) throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (process.isAlive() && System.nanoTime() - start < within.toNanos()) {
      Matcher ready = READY.matcher(Files.readString(said));
      if (ready.find()) {
        return ready.group(1);
      }
      Thread.sleep(20);
    }
    throw new IOException("not ready within " + within.toSeconds() + " s: " + lastWords());
  }

  /** Returns where it takes requests. */
  String url() {
    return url;
  }

  /** Returns how it is, and the end of what it wrote to stderr. */
  String lastWords() throws IOException {
    List<String> lines = Files.readAllLines(complained);
    return "the gateway %s (%s) wrote at last:\n%s\nall of it is in %s"
        .formatted(
            name,
            process,
            String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())),
            complained);
  }

  @Override
  public void close() {
    process.close();
  }
}
