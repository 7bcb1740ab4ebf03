// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.FaultProxy.Mode;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A store that is closed in the middle of its work. */
final class RedisCloseTest {

  @Test
  void closingUnderLoadEndsSoonAndEveryCallerGetsAnAnswerOrNone() throws Exception {
    try (RedisServer server = RedisServer.start(Aof.OFF)) {
      RedisStore store = RedisStore.builder(server.url()).timeout(Duration.ofSeconds(20)).build();
      AtomicInteger answered = new AtomicInteger();
      ExecutorService callers = Executors.newFixedThreadPool(16);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        running.add(callers.submit(() -> claimUntilClosed(store, answered)));
      }
      Samples.await(() -> answered.get() > 1000);

      CompletableFuture.runAsync(store::close).get(10, TimeUnit.SECONDS);

      for (Future<?> each : running) {
        each.get(10, TimeUnit.SECONDS);
      }
      callers.shutdown();
    }
  }

  /** Goes on for a while after the end, as callers do who have not noticed. */
  private static void claimUntilClosed(RedisStore store, AtomicInteger answered) {
    for (int failures = 0; failures < 1000; ) {
      try {
        store.claim(Samples.claim(Samples.newKey()));
        answered.incrementAndGet();
      } catch (NoAnswerException e) {
        failures++;
      }
    }
  }

  @Test
  void manyCallsThatWaitAreAllEndedByTheClosing() throws Exception {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        FaultProxy line = FaultProxy.start(server.port())) {
      RedisStore store =
          RedisStore.builder("redis://127.0.0.1:" + line.port())
              .timeout(Duration.ofSeconds(60))
              .build();
      line.mode(Mode.STALL);
      List<CompletableFuture<ClaimResult>> waiting = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        Claim claim = Samples.claim(Samples.newKey());
        waiting.add(store.claim(claim, Runnable::run).toCompletableFuture());
      }

      CompletableFuture.runAsync(store::close).get(20, TimeUnit.SECONDS);

      Samples.await(() -> waiting.stream().allMatch(CompletableFuture::isDone));
      for (CompletableFuture<ClaimResult> each : waiting) {
        assertThat(each).isCompletedExceptionally();
      }
      assertThat(waiting.get(0))
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(NoAnswerException.class);
      // The last one was never sent: the store itself ends it, not a connection that is gone.
      assertThat(waiting.get(waiting.size() - 1))
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withMessageContaining("the store is closed");
      line.mode(Mode.PASS);
    }
  }
}
