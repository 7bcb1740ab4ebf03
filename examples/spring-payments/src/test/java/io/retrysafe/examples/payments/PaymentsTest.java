// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testing.servers.PostgresServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application, as a process of its own, or two of them. */
final class PaymentsTest {
  private static final String BODY = "{\"cents\":2500,\"currency\":\"EUR\"}";

  @Test
  void twentyConnectionsToTwoInstancesMakeOnePayment() {
    try (PostgresServer server = PostgresServer.start();
        Payments one = Payments.start(server.url());
        Payments two = Payments.start(server.url())) {
      String key = UUID.randomUUID().toString();
      List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        sent.add((i % 2 == 0 ? one : two).pay(key, BODY, ""));
      }
      int first = 0;
      for (CompletableFuture<HttpResponse<String>> each : sent) {
        HttpResponse<String> response = each.join();
        boolean isReplay = response.headers().firstValue("Idempotent-Replayed").isPresent();
        first += response.statusCode() == 201 && !isReplay ? 1 : 0;
        assertThat(response.statusCode()).as(response.body()).isIn(201, 409);
      }

      assertThat(first).isEqualTo(1);
      assertThat(one.count()).isEqualTo(1);
      assertThat(two.pay(key, BODY, "").join().statusCode()).isEqualTo(201);
      assertThat(two.pay(key, BODY.replace("25", "99"), "").join().statusCode()).isEqualTo(422);
      assertThat(two.count()).isEqualTo(1);
    }
  }

  @Test
  void aCrashBeforeTheCommitLeavesNothingAndARetryPaysOnce(@TempDir Path folder) {
    String database = "jdbc:sqlite:" + folder.resolve("payments.db");
    String key = UUID.randomUUID().toString();
    try (Payments payments = Payments.start(database)) {
      assertThat(payments.pay(key, BODY, "crash")).failsWithin(Duration.ofSeconds(30));
      payments.awaitEnd();
    }
    try (Payments payments = Payments.start(database)) {
      assertThat(payments.count()).isZero();

      HttpResponse<String> response = payments.settled(key, BODY);

      assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
      assertThat(payments.count()).isEqualTo(1);
    }
  }

  @Test
  void aClientThatGaveUpGetsItsAnswerLater(@TempDir Path folder) {
    try (Payments payments = Payments.start("jdbc:sqlite:" + folder.resolve("lost.db"))) {
      String key = UUID.randomUUID().toString();
      assertThat(payments.pay(key, BODY, "slow", Duration.ofMillis(500)))
          .failsWithin(Duration.ofSeconds(30));

      HttpResponse<String> response = payments.settled(key, BODY);

      assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
      assertThat(payments.count()).isEqualTo(1);
    }
  }
}
