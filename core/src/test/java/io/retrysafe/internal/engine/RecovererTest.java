// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static io.retrysafe.internal.engine.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Lookup;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.TestEngines;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import io.retrysafe.store.Token;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The recoverer in real threads, whose time runs a hundred times as fast. */
class RecovererTest {
  private static final Scope CHARGE = Scope.of("merchant_7", "charge");

  private final MemoryStore store = MemoryStore.create();
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void lookupsReturn() {
    end.countDown();
  }

  @Test
  void lookupsThatNeverReturnHoldUpNoYoungerOperation() throws Exception {
    AtomicInteger hanging = new AtomicInteger();
    AtomicInteger rounds = new AtomicInteger();
    Policy policy =
        Policy.create()
            .recovery(
                Recovery.reconcile(
                    operation -> {
                      if (operation.key().value().startsWith("hanging")) {
                        hanging.incrementAndGet();
                        awaitEndWhateverInterrupts();
                      }
                      if (operation.key().value().equals("undecided")) {
                        rounds.incrementAndGet();
                        return new Lookup.CannotTell();
                      }
                      return new Lookup.Happened(text("found"));
                    }));
    try (Retrysafe engine = Retrysafe.create(store)) {
      for (int i = 0; i < 6; i++) {
        granted(engine.begin(OperationKey.of(CHARGE, "hanging-" + i), PRINT)).unknown();
      }
      // The younger ones are listed later.
      Instant older = Instant.now();
      while (Instant.now().isBefore(older.plusMillis(2))) {
        Thread.onSpinWait();
      }
      granted(engine.begin(OperationKey.of(CHARGE, "younger"), PRINT)).unknown();
      granted(engine.begin(OperationKey.of(CHARGE, "undecided"), PRINT)).unknown();
    }

    Retrysafe recovering =
        TestEngines.builder(store, new HurriedRuntime())
            .recoverEvery(Duration.ofSeconds(5), policy, Set.of("charge"))
            .build();
    try {
      awaitState("younger", State.COMPLETED);
      awaitState("hanging-0", State.UNKNOWN);
      int before = rounds.get();
      Eventually.holds(() -> rounds.get() >= before + 5);

      assertThat(hanging).as("one thread for each that hangs").hasValue(6);
      end.countDown();
      awaitState("hanging-0", State.COMPLETED);
    } finally {
      recovering.close();
    }
  }

  private void awaitEndWhateverInterrupts() {
    while (end.getCount() > 0) {
      try {
        end.await();
      } catch (InterruptedException e) {
        // A lookup that cannot be interrupted.
      }
    }
  }

  private void awaitState(String key, State state) {
    OperationKey waited = OperationKey.of(CHARGE, key);
    Eventually.holds(() -> store.find(waited).map(Entry::state).filter(state::equals).isPresent());
  }

  /** Real threads whose time runs a hundred times as fast. */
  private static final class HurriedRuntime implements EngineRuntime {
    private static final int FASTER = 100;
    private final Threads threads = new Threads();

    @Override
    public long nanos() {
      return threads.nanos() * FASTER;
    }

    @Override
    public Instant now() {
      return threads.now();
    }

    @Override
    public Token token() {
      return threads.token();
    }

    @Override
    public double random() {
      return threads.random();
    }

    @Override
    public void pause(Duration duration) throws InterruptedException {
      threads.pause(duration.dividedBy(FASTER));
    }

    @Override
    public void await(CompletableFuture<?> future) throws InterruptedException {
      threads.await(future);
    }

    @Override
    public void await(CompletableFuture<?> future, Duration atMost) throws InterruptedException {
      threads.await(future, atMost.dividedBy(FASTER));
    }

    @Override
    public Timer after(Lane lane, Duration delay, Runnable task) {
      return threads.after(lane, delay.dividedBy(FASTER), task);
    }

    @Override
    public void alarm(Duration delay, Runnable task) {
      threads.alarm(delay.dividedBy(FASTER), task);
    }

    @Override
    public void beatAfter(Duration delay, Runnable beat) {
      threads.beatAfter(delay.dividedBy(FASTER), beat);
    }

    @Override
    public void aside(Runnable task) {
      threads.aside(task);
    }

    @Override
    public void stop() {
      threads.stop();
    }
  }
}
