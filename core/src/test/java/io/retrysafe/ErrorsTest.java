// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static io.retrysafe.EngineWorld.KEY;
import static io.retrysafe.EngineWorld.PRINT;
import static io.retrysafe.EngineWorld.granted;
import static io.retrysafe.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.store.Browsable;
import io.retrysafe.store.History;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.State;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Wakeups;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One {@link Error} in every thread and repeated task of an engine, with real threads: each goes on
 * as if nothing had been.
 */
@Timeout(60)
class ErrorsTest {
  private static final Policy SHORT = Policy.create().lease(Duration.ofMillis(300));

  private interface All extends Store, Steps, Sweepable, Browsable, History, Wakeups {}

  private final MemoryStore memory = MemoryStore.create();
  private final AtomicInteger errors = new AtomicInteger();
  private final AtomicInteger later = new AtomicInteger();
  private volatile String broken = "";
  private volatile String silent = "";
  private volatile boolean isListenerBroken;
  private Retrysafe engine;

  /** Throws an error at the first call of the broken method, and counts those that follow. */
  private final Store store =
      (Store)
          Proxy.newProxyInstance(
              ErrorsTest.class.getClassLoader(),
              new Class<?>[] {All.class},
              (proxy, method, arguments) -> {
                if (method.isDefault()) {
                  return InvocationHandler.invokeDefault(proxy, method, arguments);
                }
                if (method.getName().equals(broken)) {
                  if (errors.getAndIncrement() == 0) {
                    throw new StackOverflowError("as planned in " + broken);
                  }
                  later.incrementAndGet();
                }
                if (method.getName().equals(silent)) {
                  throw new NoAnswerException("silent", null);
                }
                if (method.getName().equals("watch")) {
                  return (Wakeups.Watch) () -> {};
                }
                try {
                  return method.invoke(memory, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });

  @BeforeEach
  void start() {
    engine =
        Retrysafe.builder(store)
            .policy(SHORT)
            .storeDeadline(Duration.ofMillis(50))
            .sweepEvery(Duration.ofMillis(20))
            .recoverEvery(
                Duration.ofMillis(20),
                SHORT.recovery(Recovery.reconcile(operation -> new Lookup.CannotTell())),
                scope -> true)
            .listener(
                event -> {
                  if (isListenerBroken) {
                    throw new StackOverflowError("a listener");
                  }
                })
            .build();
  }

  @AfterEach
  void stop() {
    engine.close();
  }

  private static void until(BooleanSupplier isSo) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!isSo.getAsBoolean() && System.nanoTime() < end) {
      Thread.sleep(5);
    }
    assertThat(isSo.getAsBoolean()).isTrue();
  }

  private State state() {
    return memory.find(KEY).orElseThrow().state();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sweep", "browse"})
  void theSweeperAndTheRecovererGoOn(String call) throws Exception {
    broken = call;
    until(() -> later.get() >= 2);
  }

  @Test
  void theHeartbeatGoesOn() throws Exception {
    broken = "renew";
    granted(engine.begin(KEY, PRINT));
    until(() -> later.get() >= 3);
    assertThat(state()).isEqualTo(State.IN_PROGRESS);
  }

  @Test
  void theHistoryIsWrittenOn() throws Exception {
    broken = "append";
    granted(engine.begin(KEY, PRINT));
    until(() -> errors.get() >= 1);
    granted(engine.begin(OperationKey.of(KEY.scope(), "next"), PRINT)).complete(text("x"));
    until(() -> later.get() >= 1);
    until(() -> !memory.history(OperationKey.of(KEY.scope(), "next")).isEmpty());
  }

  @Test
  void aPendingOutcomeIsRecorded() throws Exception {
    Operation operation = granted(engine.begin(KEY, PRINT));
    silent = "complete";
    assertThatThrownBy(() -> operation.complete(text("receipt")))
        .isInstanceOf(StoreUnavailableException.class);
    broken = "complete";
    silent = "";
    until(() -> state() == State.COMPLETED);
    assertThat(errors.get()).isGreaterThanOrEqualTo(2);
  }

  @Test
  void aPendingReleaseIsMade() throws Exception {
    Operation operation = granted(engine.begin(KEY, PRINT));
    silent = "release";
    operation.release();
    broken = "release";
    silent = "";
    until(() -> memory.find(KEY).isEmpty());
    assertThat(errors.get()).isGreaterThanOrEqualTo(2);
  }

  @Test
  void aClaimThatFailedIsUndone() throws Exception {
    silent = "claim";
    broken = "renew";
    assertThatThrownBy(() -> engine.begin(KEY, PRINT))
        .isInstanceOf(StoreUnavailableException.class);
    until(() -> later.get() >= 1);
  }

  @Test
  void aWaitingCallerIsToldTheErrorAndOthersWaitOn() throws Exception {
    Operation running = granted(engine.begin(KEY, PRINT));
    Policy patient = SHORT.waitUpTo(Duration.ofSeconds(20));
    CompletableFuture<Decision> first = engine.beginAsync(KEY, PRINT, patient);
    broken = "claim";
    until(first::isDone);
    assertThat(first).isCompletedExceptionally();
    CompletableFuture<Decision> second = engine.beginAsync(KEY, PRINT, patient);
    running.complete(text("receipt"));
    assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(new Decision.Replay(text("receipt")));
  }

  @Test
  void aStoreThatCannotTellWhenAnOperationEndsKeepsNobodyFromWaiting() throws Exception {
    Operation running = granted(engine.begin(KEY, PRINT));
    broken = "watch";
    CompletableFuture<Decision> waiting =
        engine.beginAsync(KEY, PRINT, SHORT.waitUpTo(Duration.ofSeconds(20)));
    running.complete(text("receipt"));
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(new Decision.Replay(text("receipt")));
    assertThat(errors.get()).isEqualTo(1);
  }

  @Test
  void anErrorOfAListenerChangesNothing() throws Exception {
    isListenerBroken = true;
    Operation operation = granted(engine.begin(KEY, PRINT));
    silent = "complete";
    assertThatThrownBy(() -> operation.complete(text("receipt")))
        .isInstanceOf(StoreUnavailableException.class);
    silent = "";
    until(() -> state() == State.COMPLETED);
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("receipt")));
  }

  @Test
  void aTaskThatFailsEndsNoThread() throws Exception {
    Threads threads = new Threads();
    AtomicInteger ran = new AtomicInteger();
    List<Seam.Lane> lanes = List.of(Seam.Lane.values());
    for (Seam.Lane lane : lanes) {
      threads.after(lane, Duration.ZERO, ErrorsTest::fail);
      threads.after(lane, Duration.ofMillis(20), ran::incrementAndGet);
    }
    threads.alarm(Duration.ZERO, ErrorsTest::fail);
    threads.alarm(Duration.ofMillis(20), ran::incrementAndGet);
    threads.beatAfter(Duration.ZERO, ErrorsTest::fail);
    threads.beatAfter(Duration.ofMillis(20), ran::incrementAndGet);
    until(() -> ran.get() == lanes.size() + 2);
    threads.stop();
  }

  private static void fail() {
    throw new StackOverflowError("as planned");
  }
}
