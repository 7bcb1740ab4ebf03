// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Decision;
import io.retrysafe.Event;
import io.retrysafe.EventLoop;
import io.retrysafe.Fingerprint;
import io.retrysafe.Listener;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import io.retrysafe.testing.servers.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An engine whose PostgreSQL goes away while operations finish and other requests come. */
@Timeout(120)
final class OutageTest {
  private static final Fingerprint PRINT = Fingerprint.ofText("a request");
  private static final Policy POLICY = Policy.create().lease(Duration.ofSeconds(20));
  private static final int OPERATIONS = 100;
  private static final Duration OUTAGE = Duration.ofSeconds(2);

  private static PostgresServer server;
  private static JdbcStore store;

  private final ExecutorService loop = Executors.newSingleThreadExecutor();
  private final ExecutorService blocking = Executors.newFixedThreadPool(64);

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
    store = JdbcStore.builder(Databases.postgres(server)).applySchema(true).build();
  }

  @AfterAll
  static void stop() {
    store.close();
    server.close();
  }

  /** Counts the reports of outages. */
  private static final class Reports implements Listener {
    final Queue<String> outages = new ConcurrentLinkedQueue<>();

    @Override
    public void on(Event event) {}

    @Override
    public void onOutage(String description) {
      outages.add("began: " + description);
    }

    @Override
    public void onOutageEnd(String description, Duration lasted) {
      outages.add("ended: " + description);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 200, 2_000})
  void everyFinishedOperationIsSettledWithItsOutcomeWhateverElseFails(int failingPerSecond)
      throws Exception {
    Reports reports = new Reports();
    Scope scope = Scope.of("merchant", "charge at " + failingPerSecond);
    ExecutorService callers = Executors.newFixedThreadPool(OPERATIONS);
    try (Retrysafe engine =
        Retrysafe.builder(store)
            .policy(POLICY)
            .storeDeadline(Duration.ofSeconds(1))
            .listener(reports)
            .build()) {
      List<Operation> operations = new ArrayList<>();
      for (int i = 0; i < OPERATIONS; i++) {
        operations.add(begun(engine, OperationKey.of(scope, "order-" + i)));
      }
      server.kill();
      Future<AtomicInteger> failing = callers.submit(() -> fail(engine, scope, failingPerSecond));
      List<Future<?>> ends = new ArrayList<>();
      for (Operation operation : operations) {
        LockSupport.parkNanos(OUTAGE.toNanos() / 2 / OPERATIONS);
        ends.add(callers.submit(() -> pending(operation)));
      }
      for (Future<?> end : ends) {
        end.get(30, TimeUnit.SECONDS);
      }
      AtomicInteger failed = failing.get(30, TimeUnit.SECONDS);
      server.restart();
      long back = System.nanoTime();

      for (Operation operation : operations) {
        until(
            () -> store.find(operation.key()).map(Entry::state).orElse(null) != State.IN_PROGRESS);
        assertThat(store.find(operation.key()).flatMap(Entry::outcome))
            .contains(receipt(operation));
      }
      System.out.printf(
          "%d claims failed; %d outcomes settled %d ms after the server was back%n",
          failed.get(), OPERATIONS, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - back));
      until(() -> unsettled().isEmpty());
      assertThat(reports.outages).hasSize(2);
      assertThat(reports.outages.poll())
          .startsWith("began: the store PostgreSQL does not answer: PostgreSQL ");
      assertThat(reports.outages.poll()).isEqualTo("ended: the store PostgreSQL answers again");
    } finally {
      callers.shutdownNow();
      loop.shutdownNow();
      blocking.shutdownNow();
    }
  }

  private static List<Entry> unsettled() {
    Set<State> open = Set.of(State.IN_PROGRESS, State.UNKNOWN, State.RESUMABLE);
    return store.browse(Browsable.Query.of(open, 100)).entries();
  }

  private static Operation begun(Retrysafe engine, OperationKey key) {
    return ((Decision.Granted) engine.begin(key, PRINT)).operation();
  }

  private static Outcome receipt(Operation operation) {
    return Outcome.of(Bytes.utf8("receipt of " + operation.key().value()));
  }

  private static void pending(Operation operation) {
    assertThatThrownBy(() -> operation.complete(receipt(operation)))
        .isInstanceOfSatisfying(
            StoreUnavailableException.class, e -> assertThat(e.workRan()).isTrue());
  }

  /** Makes claims without waiting for them, and returns how many failed in the end. */
  private AtomicInteger fail(Retrysafe engine, Scope scope, int perSecond) throws Exception {
    AtomicInteger failed = new AtomicInteger();
    EventLoop caller = new EventLoop(loop, blocking);
    long start = System.nanoTime();
    int sent = 0;
    while (System.nanoTime() - start < OUTAGE.toNanos()) {
      long due = (System.nanoTime() - start) * perSecond / TimeUnit.SECONDS.toNanos(1);
      for (; sent < due; sent++) {
        OperationKey key = OperationKey.of(scope, "failing-" + sent);
        CompletionStage<Decision> unused =
            engine
                .beginAsync(key, PRINT, POLICY, caller)
                .whenComplete((decision, e) -> failed.incrementAndGet());
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
    int all = sent;
    until(() -> failed.get() == all);
    return failed;
  }

  private static void until(BooleanSupplier isSo) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!isSo.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }
}
