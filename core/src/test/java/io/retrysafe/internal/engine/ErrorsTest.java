// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.KEY;
import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static io.retrysafe.internal.engine.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Decision;
import io.retrysafe.Lookup;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.History;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.State;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Wakeups;
import io.retrysafe.store.memory.MemoryStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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

  private State state() {
    return memory.find(KEY).orElseThrow().state();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sweep", "browse"})
  void theSweeperAndTheRecovererGoOn(String call) throws Exception {
    broken = call;
    Eventually.holds(() -> later.get() >= 2);
  }

  @Test
  void theHeartbeatGoesOn() throws Exception {
    broken = "renew";
    granted(engine.begin(KEY, PRINT));
    Eventually.holds(() -> later.get() >= 3);
    assertThat(state()).isEqualTo(State.IN_PROGRESS);
  }

  @Test
  void theHistoryIsWrittenOn() throws Exception {
    broken = "append";
    granted(engine.begin(KEY, PRINT));
    Eventually.holds(() -> errors.get() >= 1);
    granted(engine.begin(OperationKey.of(KEY.scope(), "next"), PRINT)).complete(text("x"));
    Eventually.holds(() -> later.get() >= 1);
    Eventually.holds(() -> !memory.history(OperationKey.of(KEY.scope(), "next")).isEmpty());
  }

  @Test
  void aPendingOutcomeIsRecorded() throws Exception {
    Operation operation = granted(engine.begin(KEY, PRINT));
    silent = "complete";
    assertThatThrownBy(() -> operation.complete(text("receipt")))
        .isInstanceOf(StoreUnavailableException.class);
    broken = "complete";
    silent = "";
    Eventually.holds(() -> state() == State.COMPLETED);
    assertThat(errors.get()).isGreaterThanOrEqualTo(2);
  }

  @Test
  void aPendingReleaseIsMade() throws Exception {
    Operation operation = granted(engine.begin(KEY, PRINT));
    silent = "release";
    operation.release();
    broken = "release";
    silent = "";
    Eventually.holds(() -> memory.find(KEY).isEmpty());
    assertThat(errors.get()).isGreaterThanOrEqualTo(2);
  }

  @Test
  void aClaimThatFailedIsUndone() throws Exception {
    silent = "claim";
    broken = "renew";
    assertThatThrownBy(() -> engine.begin(KEY, PRINT))
        .isInstanceOf(StoreUnavailableException.class);
    Eventually.holds(() -> later.get() >= 1);
  }

  @Test
  void aWaitingCallerIsToldTheErrorAndOthersWaitOn() throws Exception {
    Operation running = granted(engine.begin(KEY, PRINT));
    Policy patient = SHORT.waitUpTo(Duration.ofSeconds(20));
    CompletableFuture<Decision> first = engine.beginAsync(KEY, PRINT, patient, EngineWorld.LOOP);
    broken = "claim";
    Eventually.holds(first::isDone);
    assertThat(first).isCompletedExceptionally();
    CompletableFuture<Decision> second = engine.beginAsync(KEY, PRINT, patient, EngineWorld.LOOP);
    running.complete(text("receipt"));
    assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(new Decision.Replay(text("receipt")));
  }

  @Test
  void aStoreThatCannotTellWhenAnOperationEndsKeepsNobodyFromWaiting() throws Exception {
    Operation running = granted(engine.begin(KEY, PRINT));
    broken = "watch";
    CompletableFuture<Decision> waiting =
        engine.beginAsync(KEY, PRINT, SHORT.waitUpTo(Duration.ofSeconds(20)), EngineWorld.LOOP);
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
    Eventually.holds(() -> state() == State.COMPLETED);
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("receipt")));
  }

  @Test
  void anErrorInALookupEndsNoRecovery() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    granted(engine.begin(KEY, PRINT)).unknown();
    Retrysafe recovering =
        Retrysafe.builder(store)
            .recoverEvery(
                Duration.ofMillis(20),
                SHORT.recovery(
                    Recovery.reconcile(
                        operation -> {
                          if (asked.incrementAndGet() < 3) {
                            throw new StackOverflowError("a lookup");
                          }
                          return new Lookup.Happened(text("found"));
                        })),
                scope -> true)
            .build();
    Eventually.holds(() -> state() == State.COMPLETED);
    recovering.close();
  }

  @Test
  void anErrorAtADeadlineStopsNoOther() {
    Threads threads = new Threads();
    Deadlines deadlines = new Deadlines(threads, Duration.ofMillis(20));
    AtomicInteger ran = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      deadlines.add(threads.nanos(), ErrorsTest::fail, () -> {});
      deadlines.add(threads.nanos(), ran::incrementAndGet, () -> {});
    }
    Eventually.holds(() -> ran.get() == 3);
    threads.stop();
  }

  /** Kinds of tasks of the engine's threads: all but the timer and the heartbeat are lanes. */
  static Stream<Kind> kinds() {
    return Stream.concat(
        Stream.of(
            new Kind("timer", (threads, task) -> threads.alarm(Duration.ZERO, task)),
            new Kind("heartbeat", (threads, task) -> threads.beatAfter(Duration.ZERO, task))),
        Stream.of(EngineRuntime.Lane.values())
            .map(
                lane ->
                    new Kind(
                        lane.name(), (threads, task) -> threads.after(lane, Duration.ZERO, task))));
  }

  record Kind(String name, BiConsumer<Threads, Runnable> start) {
    @Override
    public String toString() {
      return name;
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aTaskThatFailsIsLoggedAndEndsNoThread(Kind kind) {
    Threads threads = new Threads();
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger logged = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    Logger logger = Logger.getLogger("io.retrysafe");
    Filter before = logger.getFilter();
    // The simulator, which may have run before, switches the log off.
    Level level = logger.getLevel();
    logger.setLevel(Level.ALL);
    Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    logger.setFilter(
        entry -> {
          logged.addAndGet(entry.getThrown() instanceof Planned ? 1 : 0);
          return true;
        });
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> ended.addAndGet(thrown instanceof Planned ? 1 : 0));
    try {
      // More than any of them has threads.
      for (int i = 0; i < 20; i++) {
        kind.start.accept(threads, ErrorsTest::fail);
      }
      kind.start.accept(threads, ran::incrementAndGet);
      Eventually.holds(() -> ran.get() == 1 && logged.get() == 20);
      assertThat(ended).as("threads that ended").hasValue(0);
    } finally {
      logger.setFilter(before);
      logger.setLevel(level);
      Thread.setDefaultUncaughtExceptionHandler(handler);
      threads.stop();
    }
  }

  private static final class Planned extends StackOverflowError {
    private static final long serialVersionUID = 1;

    Planned() {
      super("as planned");
    }
  }

  private static void fail() {
    throw new Planned();
  }
}
