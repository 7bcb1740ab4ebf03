// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway and its configuration from the command line. */
class GatewayCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final HttpClient client = HttpClient.newHttpClient();

  private final Path folder;

  GatewayCommandTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void aGatewayStartsReloadsAndStops() throws Exception {
    Path file = folder.resolve("retrysafe.yaml");
    Ledger ledger = new Ledger();
    try (PaymentsService service = PaymentsService.start(0, ledger, ledger::charge)) {
      String common =
          "upstreams: { app: " + service.url() + " }\nlisten: 127.0.0.1:0\nadmin: 127.0.0.1:0\n";
      Files.writeString(file, common);
      Path tokens = folder.resolve("tokens");
      Map<String, String> environment =
          Map.of("RETRYSAFE_CONFIG", file.toString(), "RETRYSAFE_KEY", "optional");
      try (Program gateway =
          Program.start(
              folder, environment, "gateway", "--log", "json", "--token-file", tokens.toString())) {
        String url = gateway.line("requests");
        String admin = gateway.line("admin");
        assertThat(gateway.line("tokens")).isEqualTo("in " + tokens);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tokens)))
            .isEqualTo("rw-------");
        List<String> made = Files.readAllLines(tokens);
        String token = made.get(0).replaceFirst("admin-token: ", "");
        String viewer = made.get(1).replaceFirst("viewer-token: ", "");
        assertThat(gateway.out()).doesNotContain(token, viewer);
        assertThat(gateway.err().lines())
            .isNotEmpty()
            .allSatisfy(line -> assertThat(line).startsWith("{\"time\":").endsWith("}"));
        assertThat(gateway.err())
            .contains("all requests -> " + service.url() + ": key optional; one live owner")
            .doesNotContain(token, viewer);
        assertThat(folder.resolve("retrysafe.db")).exists();

        assertThat(pay(url, "k-1").statusCode()).isEqualTo(201);
        assertThat(pay(url, "k-1").headers().firstValue("Idempotent-Replayed")).isPresent();
        assertThat(ledger.charges()).isEqualTo(1);

        Files.writeString(file, common + "routes: [ { match: POST /payments, key: none } ]\n");
        assertThat(reload(admin, token).statusCode()).isEqualTo(200);
        assertThat(pay(url, "k-1").headers().firstValue("Idempotent-Replayed")).isEmpty();
        Files.writeString(file, common + "leese: 1s\n");
        HttpResponse<String> wrong = reload(admin, token);
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.body()).contains("line 4, column 1").contains("did you mean lease?");
        assertThat(reload(admin, "not-the-token").statusCode()).isEqualTo(401);
        assertThat(reload(admin, viewer).statusCode()).isEqualTo(403);
        assertThat(gateway.out().lines()).allMatch(line -> line.length() <= 80);

        assertThat(gateway.interrupt()).isEqualTo(130);
        assertThat(gateway.err().strip()).endsWith("stopped");
      }
    }
  }

  @Test
  void offATerminalWithoutAFileForTokensTheApiRefusesEverybodyAndTheLogSaysWhy() throws Exception {
    String[] args = {
      "gateway",
      "--upstream",
      "http://127.0.0.1:1",
      "--store",
      "memory:",
      "--listen",
      "127.0.0.1:0",
      "--admin",
      "127.0.0.1:0"
    };
    try (Program gateway = Program.start(folder, Map.of(), args)) {
      String admin = gateway.line("admin");
      assertThat(reload(admin, "any-token-there-is").statusCode()).isEqualTo(401);
      assertThat(gateway.out().lines()).hasSize(2);
      assertThat(gateway.err()).contains("the admin API refuses every request", "token-file");
    }
  }

  @Test
  void aTerminalShowsTheTokensThatWereMade() {
    GatewayConfig none = GatewayConfig.builder(URI.create("http://127.0.0.1:1")).build();
    GeneratedTokens made = GeneratedTokens.create(none, true);
    GatewayConfig used =
        GatewayConfig.builder(URI.create("http://127.0.0.1:1")).tokens(made.tokens()).build();
    made.tell(used, new PrintWriter(out, true));
    assertThat(out.toString())
        .contains("operator  " + made.tokens().admin(), "viewer    " + made.tokens().viewer());
    assertThat(GeneratedTokens.create(none, false).tokens().isEmpty()).isTrue();
  }

  private HttpResponse<String> pay(String url, String key) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(url + "/payments"))
            .header("Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString("{\"amount\": 2500}"))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> reload(String admin, String token) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(admin + "/api/reload"))
            .header("Authorization", "Bearer " + token)
            .POST(HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void wrongFlagsAreUsageErrors() {
    assertThat(execute("gateway")).isEqualTo(2);
    assertThat(err.toString()).contains("there is no upstream").contains("--upstream http://");
    assertThat(execute("gateway", "--upstream", "http://x", "--lease", "soon")).isEqualTo(2);
    assertThat(err.toString()).contains("--lease: lease must be a duration, was soon");
    assertThat(execute("gateway", "--leese", "1s")).isEqualTo(2);
    assertThat(err.toString()).contains("Unknown options: '--leese'");
    assertThat(execute("gateway", "--admin-token", "@none")).isEqualTo(2);
    assertThat(err.toString()).doesNotContain("@none");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aWrongFileIsAnError() throws Exception {
    Path file = Files.writeString(folder.resolve("wrong.yaml"), "lease: soon\n");
    assertThat(execute("gateway", "--config", file.toString())).isEqualTo(1);
    assertThat(err.toString()).startsWith("retrysafe: " + file + ", line 1, column 8: lease must");
  }

  @Test
  void aStoreThatIsNotThereIsNamedWhileItIsTriedAndThenUnavailable() throws Exception {
    String url = "redis://:s3cret@127.0.0.1:1";
    String[] args = {"gateway", "--upstream", "http://127.0.0.1:1", "--store", url};
    try (Program gateway = Program.start(folder, Map.of(), args)) {
      assertThat(gateway.exit()).isEqualTo(6);
      assertThat(gateway.err())
          .contains("the store redis://127.0.0.1:1 does not answer yet; retrying for 30s")
          .contains("the store redis://127.0.0.1:1 could not be opened")
          .doesNotContain("s3cret");
    }
  }

  @Test
  void aTakenPortIsToldClearly() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      String[] others = {"--upstream", "http://127.0.0.1:1", "--store", "memory:"};
      for (String flag : new String[] {"--listen", "--admin"}) {
        String other = flag.equals("--listen") ? "--admin" : "--listen";
        assertThat(
                execute(
                    "gateway",
                    flag,
                    address,
                    other,
                    "127.0.0.1:0",
                    others[0],
                    others[1],
                    others[2],
                    others[3]))
            .isEqualTo(1);
        assertThat(err.toString().strip())
            .endsWith(
                "retrysafe: cannot listen on "
                    + address
                    + ": the port is in use by another program");
      }
    }
  }

  @Test
  void helpShowsTheFlagsThatMostPeopleNeed() {
    assertThat(execute("gateway", "--help")).isEqualTo(0);
    assertThat(out.toString())
        .contains("--upstream", "--listen", "--admin", "--store", "--near", "--config")
        .contains("--admin-token", "--viewer-token", "--account", "--key", "--wait", "--lease")
        .contains("--retention", "--recovery", "--failures", "--mode", "--log")
        .doesNotContain("--never-stored");
  }

  @Test
  void aSampleIsPrintedAndPassesTheCheck() throws Exception {
    assertThat(execute("config", "init")).isEqualTo(0);
    Path file = Files.writeString(folder.resolve("sample.yaml"), out.toString());
    out.getBuffer().setLength(0);
    assertThat(execute("config", "check", file.toString())).isEqualTo(0);
    assertThat(out.toString())
        .isEqualToIgnoringNewLines(file + " is valid: upstreams [app], routes 1");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aMistakeInAFileIsTold() throws Exception {
    Path file = Files.writeString(folder.resolve("wrong.yaml"), "upstreems: {}\n");
    assertThat(execute("config", "check", file.toString())).isEqualTo(1);
    assertThat(err.toString().strip())
        .isEqualTo(
            "retrysafe: "
                + file
                + ", line 1, column 1: there is no \"upstreems\" in a configuration; did you mean"
                + " upstreams?");
    assertThat(execute("config", "check", folder.resolve("gone").toString())).isEqualTo(1);
    assertThat(err.toString()).contains("gone: the file cannot be read");
    assertThat(execute("config", "check")).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
  }

  private int execute(String... args) {
    return Main.execute(
        Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)),
        args);
  }
}
