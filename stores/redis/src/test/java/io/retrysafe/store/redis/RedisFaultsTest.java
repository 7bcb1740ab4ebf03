// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Phase;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.State;
import io.retrysafe.store.TakeOver;
import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.FaultProxy.Mode;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What happens when Redis is killed, cut off, full, or not the store's alone. */
final class RedisFaultsTest {
  private static final int CALLERS = 16;

  @Test
  void noAcknowledgedCompletionIsLostWhenAServerWithAofIsKilled() throws Exception {
    Set<OperationKey> begun = ConcurrentHashMap.newKeySet();
    Set<OperationKey> acknowledged = ConcurrentHashMap.newKeySet();
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.create(server.url())) {
      AtomicBoolean over = new AtomicBoolean();
      List<Future<?>> running = new ArrayList<>();
      ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
      for (int i = 0; i < CALLERS; i++) {
        running.add(callers.submit(() -> completeUntil(over, store, begun, acknowledged)));
      }
      for (int kill = 0; kill < 3; kill++) {
        awaitMore(acknowledged);
        server.kill();
        server.restart();
      }
      awaitMore(acknowledged);
      over.set(true);
      for (Future<?> each : running) {
        each.get(30, TimeUnit.SECONDS);
      }
      callers.shutdown();

      for (OperationKey key : acknowledged) {
        assertThat(store.find(key)).get().extracting(Entry::phase).isEqualTo(Phase.SETTLED);
      }
      // Whoever was cut off in between left nothing that is stuck.
      begun.removeAll(acknowledged);
      for (OperationKey key : begun) {
        Samples.await(() -> isMineOrSettled(store, key));
      }
    }
  }

  private static void awaitMore(Set<OperationKey> acknowledged) {
    int before = acknowledged.size();
    Samples.await(() -> acknowledged.size() > before + 200);
  }

  private static boolean isMineOrSettled(RedisStore store, OperationKey key) {
    ClaimResult result = store.claim(Samples.claim(key, Duration.ofMillis(300), TakeOver.ALWAYS));
    return result instanceof Granted
        || (result instanceof Held held && held.entry().phase() == Phase.SETTLED);
  }

  private static void completeUntil(
      AtomicBoolean over,
      RedisStore store,
      Set<OperationKey> begun,
      Set<OperationKey> acknowledged) {
    while (!over.get()) {
      Claim claim = Samples.claim(Samples.newKey(), Duration.ofMillis(300), TakeOver.NONE);
      begun.add(claim.key());
      try {
        if (store.claim(claim) instanceof Granted
            && store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)) {
          acknowledged.add(claim.key());
        }
      } catch (NoAnswerException e) {
        // The server is down just now.
      }
    }
  }

  @Test
  void callsWhoseAnswersAreLostMeetTheirOwnToken() throws Exception {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        FaultProxy proxy = FaultProxy.start(server.port());
        RedisStore store = RedisStore.create("redis://127.0.0.1:" + proxy.port())) {
      AtomicBoolean over = new AtomicBoolean();
      AtomicInteger operations = new AtomicInteger();
      ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        running.add(callers.submit(() -> expectOwnAnswers(over, store, operations)));
      }
      for (int cut = 0; cut < 20; cut++) {
        int before = operations.get();
        Samples.await(() -> operations.get() > before + 20);
        proxy.mode(Mode.LOSE_ANSWERS);
        TimeUnit.MILLISECONDS.sleep(5);
        proxy.mode(Mode.PASS);
      }
      over.set(true);
      for (Future<?> each : running) {
        each.get(60, TimeUnit.SECONDS);
      }
      callers.shutdown();
      // Some steps were taken twice: that is what was to be survived.
      assertThat(steps(server)).isGreaterThan(2L * operations.get());
    }
  }

  private static void expectOwnAnswers(
      AtomicBoolean over, RedisStore store, AtomicInteger operations) {
    while (!over.get()) {
      Claim claim = Samples.claim(Samples.newKey());
      assertThat(patiently(() -> store.claim(claim)))
          .isInstanceOfSatisfying(
              Granted.class, granted -> assertThat(granted.attempt()).isEqualTo(1));
      assertThat(patiently(() -> store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)))
          .isTrue();
      operations.incrementAndGet();
    }
  }

  private static <T> T patiently(Supplier<T> call) {
    for (int tries = 0; ; tries++) {
      try {
        return call.get();
      } catch (NoAnswerException e) {
        if (tries == 20) {
          throw e;
        }
      }
    }
  }

  /** Counts what a claim and a completion begin with, once for each entry of their scripts. */
  private static long steps(RedisServer server) {
    return server
        .tell("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_hget:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("cmdstat_hget:calls=(\\d+),.*", "$1")))
        .sum();
  }

  @Test
  void aSilentServerIsNoAnswerInTime() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        FaultProxy proxy = FaultProxy.start(server.port());
        RedisStore store =
            RedisStore.builder("redis://127.0.0.1:" + proxy.port())
                .timeout(Duration.ofMillis(300))
                .build()) {
      proxy.mode(Mode.STALL);
      Claim claim = Samples.claim(Samples.newKey());
      long start = System.nanoTime();
      assertThatThrownBy(() -> store.claim(claim))
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("PT0.3S");
      assertThatThrownBy(
              () -> store.claim(claim, Runnable::run).toCompletableFuture().get(5, SECONDS))
          .cause()
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("PT0.3S");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      proxy.mode(Mode.PASS);
      assertThat(patiently(() -> store.claim(claim))).isInstanceOf(Granted.class);
    }
  }

  @Test
  void aFullServerRefusesNewWorkAndStillSettlesWhatRuns() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        RedisStore store = RedisStore.create(server.url())) {
      Claim running = Samples.claim(Samples.newKey());
      Claim settled = Samples.claim(Samples.newKey());
      store.claim(running);
      store.claim(settled);
      store.complete(settled.owner(), Samples.DONE, Samples.RETENTION);
      server.tell("CONFIG", "SET", "maxmemory", "1");

      OperationKey absent = Samples.newKey();
      assertThatThrownBy(() -> store.claim(Samples.claim(absent)))
          .isInstanceOf(RefusedCallException.class)
          .hasMessageContaining("Redis is full");
      assertThat(store.find(absent)).isEmpty();
      assertThatThrownBy(() -> store.step(running.owner(), "s", Bytes.utf8("1")))
          .isInstanceOf(RefusedCallException.class);
      assertThat(store.claim(Samples.claim(settled.key()))).isInstanceOf(Held.class);
      Outcome large = Outcome.of(Bytes.wrap(new byte[100_000]));
      assertThat(store.complete(running.owner(), large, Samples.RETENTION)).isTrue();
      assertThat(store.find(running.key()).orElseThrow().outcome()).contains(large);

      server.tell("CONFIG", "SET", "maxmemory", "0");
      assertThat(store.claim(Samples.claim(absent))).isInstanceOf(Granted.class);
      assertThat(listed(store)).containsExactly(absent);
    }
  }

  private static List<OperationKey> listed(RedisStore store) {
    return store
        .browse(Query.of(Set.of(State.IN_PROGRESS, State.UNKNOWN, State.RESUMABLE), 1000))
        .entries()
        .stream()
        .map(Entry::key)
        .toList();
  }

  @Test
  void scriptsThatAServerForgotAreSentAgain() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        RedisStore store = RedisStore.create(server.url())) {
      for (int i = 0; i < 3; i++) {
        Claim claim = Samples.claim(Samples.newKey());
        assertThat(store.claim(claim)).isInstanceOf(Granted.class);
        server.tell("SCRIPT", "FLUSH");
        assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
        server.tell("SCRIPT", "FLUSH");
        assertThat(store.renew(Set.of(claim.owner()), Duration.ofSeconds(1))).isEmpty();
      }
    }
  }

  @Test
  void somethingElseUnderAKeyIsRefusedAndNamed() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        RedisStore store = RedisStore.create(server.url())) {
      Claim claim = Samples.claim(Samples.newKey());
      server.tell("SET", Samples.entry(claim.key()), "mine");

      assertThatThrownBy(() -> store.claim(claim))
          .isInstanceOf(RefusedCallException.class)
          .hasMessageContaining("the key holds a value that is not an entry")
          .hasMessageContaining("namespace");
      assertThat(server.tell("GET", Samples.entry(claim.key()))).isEqualTo("mine");

      Claim other = Samples.claim(Samples.newKey());
      String index = EntryKeys.text(EntryKeys.of("retrysafe", other.key()).index());
      server.tell("SET", index, "mine");
      assertThatThrownBy(() -> store.claim(other)).isInstanceOf(RefusedCallException.class);
      assertThat(server.tell("EXISTS", Samples.entry(other.key()))).isEqualTo("0");
    }
  }

  @Test
  void anIndexMendsItself() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        RedisStore store = RedisStore.create(server.url())) {
      Claim gone = Samples.claim(Samples.newKey());
      Claim running = Samples.claim(Samples.newKey());
      Claim left = Samples.claim(Samples.newKey());
      for (Claim claim : List.of(gone, running, left)) {
        store.claim(claim);
      }
      server.tell("DEL", Samples.entry(gone.key()));
      for (Claim claim : List.of(running, left)) {
        server.tell("DEL", EntryKeys.text(EntryKeys.of("retrysafe", claim.key()).index()));
      }
      assertThat(listed(store)).isEmpty();
      String index = EntryKeys.text(EntryKeys.of("retrysafe", gone.key()).index());
      assertThat(server.tell("EXISTS", index)).isEqualTo("0");

      store.renew(Set.of(running.owner()), Duration.ofSeconds(30));
      store.release(left.owner(), Release.UNKNOWN);
      assertThat(listed(store)).containsExactlyInAnyOrder(running.key(), left.key());
    }
  }
}
