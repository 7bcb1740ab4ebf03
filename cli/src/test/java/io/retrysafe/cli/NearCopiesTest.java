// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway with near copies, as it is started from the command line. */
class NearCopiesTest {
  private static final Map<String, String> SECRET =
      Map.of("RETRYSAFE_NEAR_SECRET", "0123456789abcdef");

  private final HttpClient client = HttpClient.newHttpClient();
  private final Ledger ledger = new Ledger();
  private final Path folder;

  NearCopiesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void copiesInTheProcessReplay() throws Exception {
    try (PaymentsService service = PaymentsService.start(0, ledger, ledger::charge);
        Program gateway = start(service, Map.of(), "memory:64MB")) {
      String url = gateway.line("requests");
      assertThat(gateway.err()).contains("replayed by other processes");
      String first = pay(url).body();
      for (int i = 0; i < 3; i++) {
        assertReplayed(pay(url), first);
      }
      assertThat(ledger.charges()).isEqualTo(1);
    }
  }

  @Test
  void copiesInRedisReplayAndTheirLossChangesNothing() throws Exception {
    try (RedisServer near = RedisServer.start(Aof.OFF);
        PaymentsService service = PaymentsService.start(0, ledger, ledger::charge);
        Program gateway = start(service, SECRET, near.url())) {
      String url = gateway.line("requests");
      String first = pay(url).body();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      // The copy is left by a replay, and is not waited for.
      while (!near.tell("KEYS", "*").contains(":near:")) {
        assertThat(System.nanoTime()).as("waited for a copy until").isLessThan(end);
        assertReplayed(pay(url), first);
      }
      assertReplayed(pay(url), first);
      near.kill();
      assertReplayed(pay(url), first);
      assertThat(ledger.charges()).isEqualTo(1);
    }
  }

  @Test
  void copiesThatOthersCanWriteNeedASecret() throws Exception {
    try (PaymentsService service = PaymentsService.start(0, ledger, ledger::charge);
        Program gateway = start(service, Map.of(), "redis://:s3cret@127.0.0.1:1")) {
      assertThat(gateway.exit()).isEqualTo(1);
      assertThat(gateway.err()).contains("RETRYSAFE_NEAR_SECRET").doesNotContain("s3cret");
    }
  }

  private Program start(PaymentsService service, Map<String, String> environment, String near)
      throws Exception {
    List<String> args = new ArrayList<>(List.of("gateway", "--near", near));
    args.addAll(List.of("--upstream", service.url().toString(), "--store", "sqlite:near.db"));
    args.addAll(List.of("--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"));
    return Program.start(folder, environment, args.toArray(String[]::new));
  }

  private HttpResponse<String> pay(String url) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(url + "/payments"))
            .header("Idempotency-Key", "order-1")
            .POST(HttpRequest.BodyPublishers.ofString("{\"amount\": 2500}"))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static void assertReplayed(HttpResponse<String> answer, String first) {
    assertThat(answer.headers().firstValue("Idempotent-Replayed")).isPresent();
    assertThat(answer.body()).isEqualTo(first);
  }
}
