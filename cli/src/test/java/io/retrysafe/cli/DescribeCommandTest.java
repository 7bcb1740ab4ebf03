// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.source.ConfigSource;
import io.retrysafe.internal.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What describe and completion print, and how commands complain. */
class DescribeCommandTest {
  private Path folder;
  private Path file;

  @BeforeEach
  void write(@TempDir Path temporary) throws Exception {
    folder = temporary;
    file = folder.resolve("retrysafe.yaml");
    Files.writeString(
        file,
        """
        upstreams: { app: http://127.0.0.1:9000 }
        store: jdbc:postgresql://user:hush@db/app
        lease: 7s
        routes:
          - match: POST /payments/{id}/refunds
            forward-key: derived
            recovery: rerun
            retention: 48h
          - match: POST /echo
            key: none
        """);
  }

  private Ran describe(String... more) {
    return Ran.command(List.of("describe", "--config", file.toString()), List.of(more));
  }

  @Test
  void theWholeDesignIsTold() {
    Ran ran = describe();
    assertThat(ran.exit()).as(ran.toString()).isEqualTo(0);
    assertThat(ran.out())
        .contains("POST /payments/{id}/refunds", "Idempotency-Key", "leased for 7s")
        .contains("derived from account", "replayed for 2d", "422 key-reused", "409 in-progress")
        .contains("curl -X POST", "CREATE TABLE retrysafe_entry", "nothing: requests pass")
        .doesNotContain("hush");
    assertThat(ran.out().lines().takeWhile(line -> !line.startsWith("store:")))
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void oneRouteIsToldInEveryFormat() {
    String route = "POST /payments/{id}/refunds";
    assertThat(describe(route, "--format", "markdown").out())
        .startsWith("## " + route)
        .contains("| promise |", "```sql")
        .doesNotContain("POST /echo");
    Map<?, ?> json = Json.object(describe(route, "--format", "json").out());
    assertThat(JsonTree.list(json.get("routes"))).hasSize(1);
    Map<?, ?> openApi = Json.object(describe(route, "--format", "openapi").out());
    Map<?, ?> paths = JsonTree.map(openApi.get("paths"));
    Map<?, ?> post = JsonTree.map(JsonTree.map(paths.get("/payments/{id}/refunds")).get("post"));
    assertThat(String.valueOf(post.get("parameters"))).contains("Idempotency-Key");
    assertThat(JsonTree.map(post.get("responses")).keySet().toString()).contains("409", "422");
  }

  @Test
  void aRouteThatIsNotThereIsAUsageError() {
    Ran ran = describe("GET /nowhere");
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err()).contains("POST /echo");
  }

  @Test
  void theSampleAndTheDefaultsCanBeDescribed() throws Exception {
    Files.writeString(file, ConfigSource.sample());
    assertThat(describe().exit()).isEqualTo(0);
    Ran ran = Ran.command("describe");
    assertThat(ran.exit()).as(ran.toString()).isEqualTo(0);
    assertThat(ran.out()).contains("all requests");
  }

  @Test
  void theStoreIsAskedOnDemand() throws Exception {
    Files.writeString(file, "upstreams: { app: http://127.0.0.1:9000 }\nstore: 'memory:'\n");
    assertThat(describe("--connect").out()).doesNotContain("docs/guarantees.md");
  }

  @Test
  void completionIsAScript() {
    Ran ran = Ran.command("completion");
    assertThat(ran.exit()).isEqualTo(0);
    assertThat(ran.out()).startsWith("#!").contains("operations", "--older");
  }

  @Test
  void whomToAskMustBeSaid() {
    assertThat(Ran.command("stats").exit()).isEqualTo(2);
    Ran both = Ran.command("stats", "--admin", "http://localhost:1", "--store", "memory:");
    assertThat(both.exit()).isEqualTo(2);
    assertThat(Ran.command("stats", "--admin", "ftp://x").exit()).isEqualTo(2);
  }

  @Test
  void whatCannotBeReachedIsUnavailable() {
    Ran admin = Ran.command("stats", "--admin", "http://127.0.0.1:1", "--admin-token", "hush-hush");
    assertThat(admin.exit()).isEqualTo(6);
    assertThat(admin.err()).contains("cannot be reached").doesNotContain("hush-hush");
    Ran store = Ran.command("stats", "--store", "jdbc:postgresql://u:hush@127.0.0.1:1/x");
    assertThat(store.exit()).isEqualTo(6);
    assertThat(store.err()).doesNotContain("hush").hasLineCount(1);
    assertThat(Ran.command("stats", "--store", "sqlite:" + folder.resolve("no.db")).exit())
        .isEqualTo(1);
  }
}
