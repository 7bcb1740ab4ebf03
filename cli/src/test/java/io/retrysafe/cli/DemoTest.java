// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine.Help;

/** The demo, run as people run it. */
class DemoTest {
  private static final Pattern CURL =
      Pattern.compile("curl -i (\\S+) -H '(\\S+): (\\S+)' -d '(.*)'");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private final Path folder;

  DemoTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @ParameterizedTest
  @EnumSource(DemoFault.class)
  void everyFailureCostsTwoChargesWithoutTheGatewayAndOneWithIt(DemoFault failure) {
    int exit = demo("--break", failure.toString());
    assertThat(exit).as(out + "" + err).isEqualTo(0);
    assertThat(out.toString())
        .contains("2 charges without the gateway, 1 with it.")
        .containsPattern("2 charges, EUR .* \\| 1 charge, EUR 25.00");
    assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(80));
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void anUnknownFailureIsAUsageErrorThatNamesThemAll() {
    assertThat(demo("--break", "everything")).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "must be one of [lost-response, crash, double-click, changed-body, slow-upstream], was"
                + " everything");
  }

  @Test
  void aProcessOfItsOwnCanBeTriedAndStopped() throws Exception {
    try (Program demo = Program.start(folder, Map.of(), "demo", "--port", "0")) {
      Matcher curl = CURL.matcher("curl -i " + demo.line("curl -i "));
      assertThat(curl.matches()).isTrue();
      assertThat(demo.out().lines().filter(line -> line.contains("curl -i "))).hasSize(2);
      HttpRequest pay =
          HttpRequest.newBuilder(URI.create(curl.group(1)))
              .header(curl.group(2), curl.group(3))
              .POST(HttpRequest.BodyPublishers.ofString(curl.group(4)))
              .build();
      HttpClient client = HttpClient.newHttpClient();
      HttpResponse<String> first = client.send(pay, HttpResponse.BodyHandlers.ofString());
      HttpResponse<String> again = client.send(pay, HttpResponse.BodyHandlers.ofString());
      HttpRequest look = HttpRequest.newBuilder(URI.create(curl.group(1))).build();
      HttpResponse<String> charged = client.send(look, HttpResponse.BodyHandlers.ofString());

      assertThat(first.statusCode()).isEqualTo(201);
      assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
      assertThat(again.body()).isEqualTo(first.body());
      assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
      assertThat(charged.body()).contains("\"charges\":1,");
      assertThat(demo.err()).isEmpty();

      assertThat(demo.interrupt()).isEqualTo(130);
      assertThat(demo.err()).isEqualToIgnoringNewLines("stopped");
    }
  }

  @Test
  void aTakenPortIsToldClearly() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(demo("--port", Integer.toString(taken.getLocalPort()))).isEqualTo(1);
      assertThat(err.toString().strip())
          .isEqualTo(
              "retrysafe: cannot listen on 127.0.0.1:"
                  + taken.getLocalPort()
                  + ": the port is in use by another program; choose another with --port");
    }
  }

  private int demo(String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "demo";
    System.arraycopy(args, 0, all, 1, args.length);
    return Main.execute(
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF)),
        all);
  }
}
