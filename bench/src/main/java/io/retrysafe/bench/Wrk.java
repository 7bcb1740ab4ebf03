// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The load generator wrk, one thread of it: a closed loop on many connections. */
final class Wrk {
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern BAD = Pattern.compile("Non-2xx or 3xx responses: ([0-9]+)");
  private static final Pattern ERRORS = Pattern.compile("Socket errors: (.*)");

  private final String program;
  private final Path folder;

  Wrk(Path folder) {
    this.program = require("wrk");
    this.folder = folder;
  }

  /** Returns the program of this name on the PATH, or says how to get it. */
  static String require(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    name
                        + " is not on the PATH; install wrk and nginx, for example with"
                        + " apt-get install wrk nginx, or brew install wrk nginx"));
  }

  private static Optional<String> find(String name) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.concat(Stream.of(path.split(":", -1)), Stream.of("/usr/sbin"))
        .map(each -> Path.of(each.isEmpty() ? "." : each, name))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  /**
   * Loads a URL and returns what that showed.
   *
   * @param script Lua that makes the requests; empty for plain GETs
   * @throws IOException if an answer was an error: then nothing was measured
   */
  Round load(String url, int connections, Duration time, String script) throws Exception {
    Path lua = folder.resolve("load.lua");
    Files.writeString(lua, script);
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of(
                    program,
                    "-t1",
                    "-c" + connections,
                    "-d" + Math.max(1, time.toSeconds()) + "s",
                    "--timeout",
                    "10s",
                    "--latency",
                    "-s",
                    lua.toString(),
                    url))
            .redirectErrorStream(true);
    String out;
    try (ChildProcess process = ChildProcess.start(builder)) {
      out = new String(process.output().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.succeeds(60) || BAD.matcher(out).find() || ERRORS.matcher(out).find()) {
        throw new IOException("wrk on " + url + " met errors:\n" + out);
      }
    }
    return new Round(
        Double.parseDouble(first(RATE, out)),
        nanos(first(Pattern.compile("Latency\\s+([0-9.]+[a-z]+)"), out)),
        nanos(first(Pattern.compile("50%\\s+([0-9.]+[a-z]+)"), out)),
        nanos(first(Pattern.compile("99%\\s+([0-9.]+[a-z]+)"), out)),
        -1,
        -1,
        -1);
  }

  private static String first(Pattern pattern, String out) throws IOException {
    Matcher matcher = pattern.matcher(out);
    if (!matcher.find()) {
      throw new IOException("wrk printed no " + pattern + ":\n" + out);
    }
    return matcher.group(1);
  }

  /** Reads 850.00us, 1.20ms or 2.01s. */
  static double nanos(String time) {
    int unit = 0;
    while (unit < time.length() && !Character.isLetter(time.charAt(unit))) {
      unit++;
    }
    double count = Double.parseDouble(time.substring(0, unit));
    return switch (time.substring(unit)) {
      case "us" -> count * 1e3;
      case "ms" -> count * 1e6;
      case "s" -> count * 1e9;
      default -> count * 60e9;
    };
  }
}
