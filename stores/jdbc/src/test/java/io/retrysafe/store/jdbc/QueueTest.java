// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Calls that wait in the store's own queue. */
final class QueueTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(4);
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
    return store(Databases.postgres(SERVER), timeout);
  }

  private static JdbcStore store(DataSource source, Duration timeout) {
    return JdbcStore.builder(source).timeout(timeout).lanes(1).applySchema(true).build();
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

  /** The lane has such a call in its hands already, and waits for more. */
  @Test
  void aCallThatIsGatheredWhileTheStoreClosesEnds() throws Exception {
    for (int i = 0; i < 10; i++) {
      CompletionStage<ClaimResult> last;
      try (JdbcStore store = store(TIMEOUT)) {
        for (int wave = 0; wave < 4; wave++) {
          List<CompletionStage<ClaimResult>> many = new ArrayList<>();
          for (int j = 0; j < 500; j++) {
            many.add(claim(store));
          }
          for (CompletionStage<ClaimResult> each : many) {
            each.toCompletableFuture().get(30, TimeUnit.SECONDS);
          }
        }
        last = claim(store);
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(last.handle((result, failure) -> "ended"))
          .as("after the store was closed")
          .succeedsWithin(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void callsWithoutAReplyEndInTimeWhateverHoldsUpTheirLane() throws Exception {
    Stuck source = new Stuck(Databases.postgres(SERVER));
    try (JdbcStore store = store(source, TIMEOUT)) {
      source.isStuck = true;
      CompletionStage<ClaimResult> first = claim(store);
      assertThat(source.asked.await(10, TimeUnit.SECONDS)).isTrue();
      long start = System.nanoTime();
      // More than the next batch takes.
      List<CompletionStage<ClaimResult>> queued = new ArrayList<>();
      for (int i = 0; i < 600; i++) {
        queued.add(claim(store));
      }
      TimeUnit.MILLISECONDS.sleep(TIMEOUT.toMillis() / 2);
      // It will be under way when its time is over, with half of the lane's still to go.
      CompletionStage<ClaimResult> late = claim(store);
      assertSilent(first, start + TIMEOUT.toNanos() * 7 / 5);
      queued.forEach(each -> assertSilent(each, start + TIMEOUT.toNanos() * 7 / 5));
      assertSilent(late, start + TIMEOUT.toNanos() * 9 / 5);
    } finally {
      source.goesOn.countDown();
    }
  }

  private static void assertSilent(CompletionStage<ClaimResult> call, long end) {
    assertThatThrownBy(
            () -> call.toCompletableFuture().get(end - System.nanoTime(), TimeUnit.NANOSECONDS))
        .hasCauseInstanceOf(NoAnswerException.class);
  }

  private static CompletionStage<ClaimResult> claim(JdbcStore store) {
    return store.claim(Samples.claim(Samples.newKey()), ForkJoinPool.commonPool());
  }

  /** A pool that has no connection left, and does not look at the time. */
  private static final class Stuck extends PGSimpleDataSource {
    private static final long serialVersionUID = 1;

    final transient CountDownLatch asked = new CountDownLatch(1);
    final transient CountDownLatch goesOn = new CountDownLatch(1);
    final transient DataSource source;
    volatile boolean isStuck;

    Stuck(DataSource source) {
      this.source = source;
    }

    @Override
    public Connection getConnection() throws SQLException {
      if (isStuck) {
        asked.countDown();
        try {
          goesOn.await();
        } catch (InterruptedException e) {
          throw new SQLException(e);
        }
      }
      return source.getConnection();
    }
  }

  /** The first statement hangs; requests of its lane are answered through the other. */
  @Test
  void aLaneWhoseConnectionHangsHoldsUpItsOwnBatchOnly() throws Exception {
    CountDownLatch goesOn = new CountDownLatch(1);
    AtomicBoolean hangs = new AtomicBoolean();
    CountDownLatch isStuck = new CountDownLatch(1);
    DataSource source =
        Databases.around(
            Databases.postgres(SERVER),
            (sql, statement) -> {
              if (hangs.compareAndSet(true, false)) {
                isStuck.countDown();
                goesOn.await();
              }
              return statement.call();
            });
    try (JdbcStore store =
        JdbcStore.builder(source).timeout(Duration.ofSeconds(60)).applySchema(true).build()) {
      claim(store).toCompletableFuture().get(30, TimeUnit.SECONDS);
      hangs.set(true);
      CompletionStage<ClaimResult> stuck = claim(store);
      assertThat(isStuck.await(30, TimeUnit.SECONDS)).isTrue();
      for (int wave = 0; wave < 2; wave++) {
        List<CompletionStage<ClaimResult>> others = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          others.add(store.claim(Samples.claim(Samples.newKey()), CLOSED));
        }
        for (CompletionStage<ClaimResult> each : others) {
          assertThat(each.toCompletableFuture().get(30, TimeUnit.SECONDS))
              .isInstanceOf(ClaimResult.Granted.class);
        }
      }
      assertThat(stuck.toCompletableFuture()).isNotDone();
      goesOn.countDown();
      assertThat(stuck.toCompletableFuture().get(30, TimeUnit.SECONDS))
          .isInstanceOf(ClaimResult.Granted.class);
    } finally {
      goesOn.countDown();
    }
  }

  /** A large answer is read by a thread of the caller's, who has none. */
  @Test
  void aCallerThatHasGoneDoesNotHarmTheOthersOfItsBatch() throws Exception {
    try (JdbcStore store = store(Duration.ofSeconds(20))) {
      Claim settled = Samples.claim(Samples.newKey());
      store.claim(settled);
      Outcome large = Outcome.of(Bytes.wrap(new byte[512 * 1024]));
      assertThat(store.complete(settled.owner(), large, Samples.RETENTION)).isTrue();
      List<CompletableFuture<ClaimResult>> good = new ArrayList<>();
      List<CompletableFuture<ClaimResult>> gone = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        gone.add(store.claim(Samples.claim(settled.key()), CLOSED).toCompletableFuture());
        good.add(claim(store).toCompletableFuture());
      }
      for (CompletableFuture<ClaimResult> claim : good) {
        assertThat(claim.get(10, TimeUnit.SECONDS)).isInstanceOf(ClaimResult.Granted.class);
      }
      for (CompletableFuture<ClaimResult> claim : gone) {
        assertThatThrownBy(() -> claim.get(10, TimeUnit.SECONDS))
            .hasCauseInstanceOf(RejectedExecutionException.class);
      }
    }
  }
}
