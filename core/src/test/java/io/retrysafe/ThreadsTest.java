// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static io.retrysafe.EngineWorld.KEY;
import static io.retrysafe.EngineWorld.PRINT;
import static io.retrysafe.EngineWorld.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.State;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The engine with real threads and real time. */
@Timeout(60)
class ThreadsTest {
  private static final int CALLERS = 32;

  @Test
  void manyCallersAtOnceHaveOneEffectAndOneAnswer() throws Exception {
    Policy patient = Policy.create().waitUpTo(Duration.ofSeconds(30));
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try (Retrysafe one = Retrysafe.create(MemoryStore.create())) {
      for (int round = 0; round < 50; round++) {
        OperationKey key = OperationKey.of(KEY.scope(), "order-" + round);
        AtomicInteger charges = new AtomicInteger();
        CyclicBarrier start = new CyclicBarrier(CALLERS);
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
          answers.add(
              callers.submit(
                  () -> {
                    start.await();
                    return one.run(
                        key,
                        PRINT,
                        patient,
                        Codec.string(),
                        operation -> "receipt " + charges.incrementAndGet());
                  }));
        }
        for (Future<String> answer : answers) {
          assertThat(answer.get()).isEqualTo("receipt 1");
        }
      }
    } finally {
      callers.shutdownNow();
    }
  }

  @Test
  void aLeaseIsRenewedWhileRealWorkRuns() throws Exception {
    MemoryStore store = MemoryStore.create();
    Policy shortLease = Policy.create().lease(Duration.ofMillis(300));
    try (Retrysafe engine = Retrysafe.create(store)) {
      granted(engine.begin(KEY, PRINT, shortLease));
      java.time.Instant first = store.find(KEY).orElseThrow().times().leaseUntil();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!store.find(KEY).orElseThrow().times().leaseUntil().isAfter(first.plusMillis(600))
          && System.nanoTime() < deadline) {
        Thread.onSpinWait();
      }
      assertThat(store.find(KEY).orElseThrow().times().leaseUntil()).isAfter(first.plusMillis(600));
      assertThat(store.find(KEY).orElseThrow().attempt()).isEqualTo(1);
    }
    // Nobody renews any more, so that a takeover is possible.
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (store.find(KEY).orElseThrow().state() != State.UNKNOWN && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(store.find(KEY).orElseThrow().state()).isEqualTo(State.UNKNOWN);
  }

  @Test
  void tokensAreNeverTheSame() throws Exception {
    Threads threads = new Threads();
    Set<Token> tokens = java.util.Collections.synchronizedSet(new HashSet<>());
    ExecutorService callers = Executors.newFixedThreadPool(4);
    CountDownLatch done = new CountDownLatch(4);
    for (int i = 0; i < 4; i++) {
      Future<?> unused =
          callers.submit(
              () -> {
                for (int j = 0; j < 10_000; j++) {
                  tokens.add(threads.token());
                }
                done.countDown();
              });
    }
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    callers.shutdownNow();
    threads.stop();

    assertThat(tokens).hasSize(40_000);
  }

  @Test
  void backgroundWorkRunsOnDaemonThreadsAndNoLongerAfterAStop() throws Exception {
    Threads threads = new Threads();
    CountDownLatch ran = new CountDownLatch(2);
    Set<Boolean> daemons = java.util.Collections.synchronizedSet(new HashSet<>());
    Runnable task =
        () -> {
          daemons.add(Thread.currentThread().isDaemon());
          ran.countDown();
        };
    threads.after(Duration.ofMillis(1), task);
    threads.beatAfter(Duration.ofMillis(1), task);
    assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(daemons).containsExactly(true);

    threads.stop();
    AtomicInteger late = new AtomicInteger();
    threads.after(Duration.ZERO, late::incrementAndGet);
    threads.beatAfter(Duration.ZERO, late::incrementAndGet);
    assertThat(late).hasValue(0);
  }

  /** A store that blocks calls of one name, as a server that was stopped does. */
  private static final class Hanging extends PlainStore {
    private final CountDownLatch go = new CountDownLatch(1);
    private final Set<String> hanging = java.util.concurrent.ConcurrentHashMap.newKeySet();

    Hanging(MemoryStore store) {
      super(store);
    }

    private void hang(String call) {
      if (hanging.contains(call)) {
        try {
          if (!go.await(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("it hangs too long");
          }
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    @Override
    public ClaimResult claim(Claim claim) {
      hang("claim");
      return super.claim(claim);
    }

    @Override
    public boolean complete(Owner owner, Outcome outcome, Duration retention) {
      hang("complete");
      if (hanging.contains("silent")) {
        throw new NoAnswerException("silent", null);
      }
      return super.complete(owner, outcome, retention);
    }

    @Override
    public boolean release(Owner owner, LeaveAs how) {
      if (hanging.contains("silent")) {
        throw new NoAnswerException("silent", null);
      }
      hang("release");
      return super.release(owner, how);
    }
  }

  @Test
  void releasesThatHangHoldUpNoOutcome() throws Exception {
    MemoryStore memory = MemoryStore.create();
    Hanging store = new Hanging(memory);
    try (Retrysafe engine = Retrysafe.builder(store).storeDeadline(Duration.ofMillis(5)).build()) {
      List<Operation> operations = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        operations.add(granted(engine.begin(OperationKey.of(KEY.scope(), "order-" + i), PRINT)));
      }
      store.hanging.add("silent");
      operations.subList(0, 199).forEach(Operation::release);
      assertThatThrownBy(() -> operations.get(199).complete(EngineWorld.text("receipt")))
          .isInstanceOf(StoreUnavailableException.class);
      store.hanging.add("release");
      store.hanging.remove("silent");

      OperationKey key = operations.get(199).key();
      Eventually.holds(() -> memory.find(key).orElseThrow().state() == State.COMPLETED);
      assertThat(memory.find(key).orElseThrow().outcome()).contains(EngineWorld.text("receipt"));
      store.go.countDown();
    }
  }

  @Test
  void callersThatWaitAreAnsweredInTimeAlthoughTheStoreHangs() throws Exception {
    Hanging store = new Hanging(MemoryStore.create());
    Policy patient = Policy.create().waitUpTo(Duration.ofSeconds(1));
    try (Retrysafe engine = Retrysafe.create(store)) {
      granted(engine.begin(KEY, PRINT));
      long start = System.nanoTime();
      List<CompletableFuture<Decision>> waiting = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        waiting.add(engine.beginAsync(KEY, PRINT, patient, EngineWorld.LOOP));
      }
      store.hanging.add("claim");
      for (CompletableFuture<Decision> each : waiting) {
        assertThat(each.get(20, TimeUnit.SECONDS)).isInstanceOf(Decision.InProgress.class);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(4));
      store.go.countDown();
    }
  }
}
