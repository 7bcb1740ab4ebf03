// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.ClaimLostException;
import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.InProgressException;
import io.retrysafe.OperationKey;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.RetrysafeException;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.testing.servers.RedisSentinel;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What engines and their callers see of a failover that comes in the middle of their work. */
final class RedisFailoverLoadTest {
  private static final int CALLERS = 16;
  private static final Policy POLICY = Policy.create().lease(Duration.ofSeconds(2));

  private final Map<OperationKey, Integer> runs = new ConcurrentHashMap<>();
  private final Set<OperationKey> begun = ConcurrentHashMap.newKeySet();
  private final Set<OperationKey> answered = ConcurrentHashMap.newKeySet();
  private final Queue<RetrysafeException> errors = new ConcurrentLinkedQueue<>();
  private volatile OperationKey newest = Samples.newKey();
  private final AtomicBoolean isOver = new AtomicBoolean();

  @Test
  void callersGoOnWithTheNewPrimaryAndNothingThatWasReplicatedRunsAgain() throws Exception {
    try (RedisServer primary = RedisServer.start(Aof.EVERYSEC);
        RedisServer replica = RedisServer.replica(primary.port());
        RedisSentinel sentinel = RedisSentinel.start(primary);
        RedisStore store = store(sentinel);
        Retrysafe retrysafe = Retrysafe.builder(store).policy(POLICY).build()) {
      List<Future<?>> running = startPaying(retrysafe);
      awaitMore();
      Set<OperationKey> replicated = Set.copyOf(answered);
      primary.awaitCopyOn(replica);

      primary.kill();
      sentinel.promotes(replica);
      awaitMore();
      stopPaying(running);
      assertThatEachRanOnce(retrysafe, replicated);
      begun.removeAll(answered);
      for (OperationKey key : begun) {
        Samples.await(() -> isTold(retrysafe, key));
      }
    }
  }

  /** The old primary lives on as a replica, takes no writes, and cuts nobody off. */
  @Test
  void callersLeaveAPrimaryThatBecameAReplica() throws Exception {
    try (RedisServer primary = RedisServer.start(Aof.EVERYSEC);
        RedisServer replica = RedisServer.replica(primary.port());
        RedisSentinel sentinel = RedisSentinel.start(primary);
        RedisStore store = store(sentinel);
        Retrysafe retrysafe = Retrysafe.builder(store).policy(POLICY).build()) {
      List<Future<?>> running = startPaying(retrysafe);
      awaitMore();
      Set<OperationKey> replicated = Set.copyOf(answered);
      primary.awaitCopyOn(replica);

      long demoted = System.nanoTime();
      replica.tell("REPLICAOF", "NO", "ONE");
      primary.tell("REPLICAOF", "127.0.0.1", Integer.toString(replica.port()));
      sentinel.names(replica);
      int before = answered.size();
      Samples.await(() -> answered.size() > before + CALLERS && isOn(replica, newest));
      System.out.printf(
          "Redis Sentinel, primary made a replica under load: recovered after %d ms%n",
          Duration.ofNanos(System.nanoTime() - demoted).toMillis());
      awaitMore();
      stopPaying(running);
      assertThatEachRanOnce(retrysafe, replicated);
    }
  }

  private List<Future<?>> startPaying(Retrysafe retrysafe) {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      running.add(callers.submit(() -> payUntilOver(retrysafe)));
    }
    callers.shutdown();
    return running;
  }

  private void stopPaying(List<Future<?>> running) throws Exception {
    isOver.set(true);
    for (Future<?> each : running) {
      each.get(30, TimeUnit.SECONDS);
    }
    assertThat(errors)
        .allMatch(
            error ->
                error instanceof StoreUnavailableException
                    || error instanceof OutcomeUnknownException
                    || error instanceof ClaimLostException);
  }

  private void assertThatEachRanOnce(Retrysafe retrysafe, Set<OperationKey> replicated) {
    for (OperationKey key : replicated) {
      assertThat(pay(retrysafe, key)).isEqualTo("paid");
      assertThat(runs).containsEntry(key, 1);
    }
  }

  private static boolean isOn(RedisServer server, OperationKey key) {
    return server.tell("EXISTS", Samples.entry(key)).equals("1");
  }

  private static RedisStore store(RedisSentinel sentinel) {
    Samples.await(() -> sentinel.sees(1));
    return RedisStore.create(sentinel.url());
  }

  private void awaitMore() {
    int before = answered.size();
    Samples.await(() -> answered.size() > before + 500);
  }

  private void payUntilOver(Retrysafe retrysafe) {
    while (!isOver.get()) {
      OperationKey key = Samples.newKey();
      begun.add(key);
      try {
        pay(retrysafe, key);
        answered.add(key);
        newest = key;
      } catch (RetrysafeException e) {
        errors.add(e);
      }
    }
  }

  private String pay(Retrysafe retrysafe, OperationKey key) {
    return retrysafe.run(
        key,
        Fingerprint.NONE,
        Codec.string(),
        operation -> {
          runs.merge(key, 1, Integer::sum);
          return "paid";
        });
  }

  /** Returns whether the caller of an operation that was cut off gets more than "ask again". */
  private boolean isTold(Retrysafe retrysafe, OperationKey key) {
    try {
      return pay(retrysafe, key).equals("paid");
    } catch (OutcomeUnknownException e) {
      return true;
    } catch (InProgressException | StoreUnavailableException e) {
      return false;
    }
  }
}
