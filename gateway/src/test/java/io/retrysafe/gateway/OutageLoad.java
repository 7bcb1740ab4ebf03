// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.InProgressException;
import io.retrysafe.OperationKey;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Steady load on one store, through a gateway and through an engine, with new keys all the time.
 * Most work is quick; some takes seconds, so that it ends in an outage that it began before.
 */
final class OutageLoad implements AutoCloseable {
  static final Duration DEADLINE = Duration.ofSeconds(1);

  /** Claims that failed are undone for the last time after this. */
  static final Duration STORE_TIMEOUT = Duration.ofSeconds(2);

  private static final int CLIENTS = 16;
  private static final int WORKERS = 6;
  private static final int CHECKERS = 32;
  private static final Scope SCOPE = Scope.of("soak", "transfer");
  private static final Fingerprint FINGERPRINT = Fingerprint.ofText("transfer");

  private final Map<String, Work> works = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger unavailable = new AtomicInteger();
  private final AtomicLong slowest = new AtomicLong();
  private final List<Thread> callers = new ArrayList<>();
  private final Policy policy;
  private final Upstream upstream;
  private final Gateway gateway;
  private final Retrysafe engine;
  private volatile boolean isOver;
  private volatile int longestWork;

  /** What is known of one operation. */
  private static final class Work {
    final AtomicInteger begun = new AtomicInteger();
    volatile boolean isDone;
    volatile boolean isAnswered;

    /** Does the work and returns its result. */
    String run(String key, int millis) throws InterruptedException {
      int count = begun.incrementAndGet();
      Thread.sleep(millis);
      isDone = true;
      return result(key, count);
    }

    static String result(String key, int count) {
      return "result of " + key + " in run " + count;
    }
  }

  OutageLoad(Store gatewayStore, Store engineStore, Duration outage) throws IOException {
    Duration lease = outage.multipliedBy(3).plusSeconds(30);
    this.policy = Policy.create().lease(lease);
    this.longestWork = (int) outage.toMillis() * 3 / 4;
    this.upstream =
        new Upstream(
            (asked, socket) -> {
              String key = asked.all("Idempotency-Key").get(0);
              return Upstream.write(socket, 201, work(key).run(key, millis()));
            });
    GatewayConfig.Builder config =
        GatewayTests.config(upstream.url())
            .limits(
                GatewayTests.limits().storeDeadline(DEADLINE).stopWithin(Duration.ofSeconds(10)));
    this.gateway = Gateway.start(config.policy(config.policy().lease(lease)).build(), gatewayStore);
    this.engine = Retrysafe.builder(engineStore).storeDeadline(DEADLINE).policy(policy).build();
  }

  private Work work(String key) {
    return works.computeIfAbsent(key, k -> new Work());
  }

  private int millis() {
    Random random = new Random();
    return random.nextInt(12) == 0 ? random.nextInt(longestWork) : random.nextInt(20);
  }

  Gateway gateway() {
    return gateway;
  }

  /** Returns how many calls were told that the store does not answer. */
  int unavailable() {
    return unavailable.get();
  }

  int done() {
    return (int) works.values().stream().filter(work -> work.isDone).count();
  }

  /** Returns how long the slowest refusal took since the last call of this method. */
  Duration slowestRefusal() {
    return Duration.ofNanos(slowest.getAndSet(0));
  }

  void start() {
    isOver = false;
    for (int i = 0; i < CLIENTS + WORKERS; i++) {
      boolean isClient = i < CLIENTS;
      Thread caller = new Thread(() -> call(isClient), "soak-caller");
      caller.setDaemon(true);
      caller.start();
      callers.add(caller);
    }
  }

  void stop() throws InterruptedException {
    isOver = true;
    for (Thread caller : callers) {
      caller.join(60_000);
      assertThat(caller.isAlive()).as("a caller hangs").isFalse();
    }
    callers.clear();
  }

  private void call(boolean isClient) {
    while (!isOver) {
      String key = (isClient ? "gateway-" : "engine-") + next.incrementAndGet();
      long start = System.nanoTime();
      try {
        if (isClient) {
          request(key, start);
        } else {
          run(key, start);
        }
        Thread.sleep(30);
      } catch (InterruptedException e) {
        return;
      } catch (Throwable e) {
        wrong.add(key + ": " + e);
      }
    }
  }

  private void request(String key, long start) throws IOException {
    Work work = work(key);
    Wire.Reply reply = Wire.call(GatewayTests.port(gateway), Wire.post("/payments", key));
    if (reply.status() == 201) {
      work.isAnswered = true;
    } else if (reply.problem().equals("in-progress")) {
      // Another transaction kept the row or the file until the deadline.
      refused(true, start);
    } else if (reply.problem().equals("store-unavailable")) {
      refused(reply.text().contains("\"work_ran\":false"), start);
    } else {
      wrong.add(key + ": " + reply);
    }
  }

  private void run(String key, long start) {
    Work work = work(key);
    try {
      engine.run(
          OperationKey.of(SCOPE, key),
          FINGERPRINT,
          Codec.string(),
          operation -> work.run(key, millis()));
      work.isAnswered = true;
    } catch (StoreUnavailableException e) {
      refused(!e.workRan(), start);
    } catch (InProgressException e) {
      refused(true, start);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void refused(boolean isTimed, long start) {
    unavailable.incrementAndGet();
    if (isTimed) {
      // Where the work ran its own time counts too.
      long took = System.nanoTime() - start;
      slowest.accumulateAndGet(took, Math::max);
    }
  }

  /**
   * Checks every operation, after the store is back: if its work was done, it was done once and a
   * retry gets that result; if its work never began, it can run now.
   */
  void check(Duration within) throws InterruptedException {
    assertThat(wrong).as("answers that nobody should get").isEmpty();
    Instant end = Instant.now().plus(within);
    ConcurrentLinkedQueue<String> left = new ConcurrentLinkedQueue<>();
    works.forEach(
        (key, work) -> {
          // Of those that were answered as usual some are enough.
          if (!work.isAnswered || key.hashCode() % 8 == 0) {
            left.add(key);
          }
        });
    List<Thread> checkers = new ArrayList<>();
    for (int i = 0; i < CHECKERS; i++) {
      Thread checker =
          new Thread(
              () -> {
                for (String key = left.poll(); key != null; key = left.poll()) {
                  settle(key, end);
                }
              },
              "soak-checker");
      checker.start();
      checkers.add(checker);
    }
    for (Thread checker : checkers) {
      checker.join();
    }
    List<String> differing = List.copyOf(wrong);
    // What went wrong under one fault is not the next one's.
    wrong.clear();
    works.clear();
    assertThat(differing).as("operations that are not as they were done").isEmpty();
  }

  private void settle(String key, Instant end) {
    Work work = work(key);
    boolean wasDone = work.isDone;
    int begun = work.begun.get();
    String said = "";
    do {
      try {
        @Nullable String result = key.startsWith("gateway-") ? retried(key) : rerun(key);
        if (result != null) {
          said = result;
          break;
        }
        Thread.sleep(50);
      } catch (InterruptedException e) {
        return;
      } catch (IOException | RuntimeException e) {
        said = String.valueOf(e);
        break;
      }
    } while (Instant.now().isBefore(end));
    if (!said.equals(Work.result(key, 1)) || work.begun.get() != 1) {
      wrong.add(
          key
              + (begun == 0 ? " (never began)" : wasDone ? " (was done)" : " (was running)")
              + " ran "
              + work.begun
              + " times, and a retry got: "
              + said);
    }
  }

  /** Returns what a retry got; null if it is too early. */
  private @Nullable String retried(String key) throws IOException {
    Wire.Reply reply = Wire.call(GatewayTests.port(gateway), Wire.post("/payments", key));
    boolean isEarly =
        reply.problem().equals("in-progress") || reply.problem().equals("store-unavailable");
    return isEarly ? null : reply.status() == 201 ? reply.text() : reply.toString();
  }

  private @Nullable String rerun(String key) throws InterruptedException {
    try {
      return engine.run(
          OperationKey.of(SCOPE, key),
          FINGERPRINT,
          Codec.string(),
          operation -> work(key).run(key, 0));
    } catch (InProgressException | StoreUnavailableException e) {
      return null;
    } catch (OutcomeUnknownException e) {
      return e.toString();
    }
  }

  @Override
  public void close() throws IOException {
    gateway.close();
    engine.close();
    upstream.close();
  }
}
