// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Calls that wait in the store's own queue. */
final class QueueTest {
  private static final Duration TIMEOUT = Duration.ofMillis(500);
  private static final Executor CLOSED =
      work -> {
        throw new RejectedExecutionException("closed");
      };

  private static final PostgresServer SERVER = PostgresServer.start();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static JdbcStore store(Duration timeout) {
    return JdbcStore.builder(Databases.postgres(SERVER))
        .timeout(timeout)
        .lanes(1)
        .applySchema(true)
        .build();
  }

  @Test
  void manyCallsNeedNoThreadOfTheirs() throws Exception {
    try (JdbcStore store = store(Duration.ofSeconds(20))) {
      List<CompletionStage<ClaimResult>> claims = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        // Nothing but the queue can answer them.
        claims.add(store.claim(Samples.claim(Samples.newKey()), CLOSED));
      }
      for (CompletionStage<ClaimResult> claim : claims) {
        assertThat(claim.toCompletableFuture().get(30, TimeUnit.SECONDS))
            .isInstanceOf(ClaimResult.Granted.class);
      }
    }
  }

  @Test
  void aCallWithoutAReplyEndsInTime() throws Exception {
    try (JdbcStore store = store(TIMEOUT)) {
      Claim first = Samples.claim(Samples.newKey());
      assertThat(store.claim(first)).isInstanceOf(ClaimResult.Granted.class);
      PostgresFaultsTest.signal("-STOP", SERVER);
      try {
        // One is under way, the others wait in the queue.
        List<CompletableFuture<ClaimResult>> claims = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          claims.add(
              store
                  .claim(Samples.claim(Samples.newKey()), ForkJoinPool.commonPool())
                  .toCompletableFuture());
        }
        for (CompletableFuture<ClaimResult> claim : claims) {
          assertThatThrownBy(() -> claim.get(TIMEOUT.toMillis() * 4, TimeUnit.MILLISECONDS))
              .hasCauseInstanceOf(NoAnswerException.class);
        }
      } finally {
        PostgresFaultsTest.signal("-CONT", SERVER);
      }
    }
  }

  @Test
  void aCallerThatHasGoneDoesNotHarmTheOthersOfItsBatch() throws Exception {
    try (JdbcStore store = store(Duration.ofSeconds(20));
        Connection connection = Databases.postgres(SERVER).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "ALTER TABLE retrysafe_entry ADD CONSTRAINT no_bad CHECK (tenant <> 'bad')");
      List<CompletableFuture<ClaimResult>> good = new ArrayList<>();
      List<CompletableFuture<ClaimResult>> bad = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        OperationKey key = OperationKey.of(Scope.of("bad", "POST", "/payments"), "key-" + i);
        bad.add(store.claim(Samples.claim(key), CLOSED).toCompletableFuture());
        good.add(
            store
                .claim(Samples.claim(Samples.newKey()), ForkJoinPool.commonPool())
                .toCompletableFuture());
      }
      for (CompletableFuture<ClaimResult> claim : good) {
        assertThat(claim.get(10, TimeUnit.SECONDS)).isInstanceOf(ClaimResult.Granted.class);
      }
      for (CompletableFuture<ClaimResult> claim : bad) {
        assertThatThrownBy(() -> claim.get(10, TimeUnit.SECONDS))
            .hasCauseInstanceOf(RejectedExecutionException.class);
      }
    }
  }
}
