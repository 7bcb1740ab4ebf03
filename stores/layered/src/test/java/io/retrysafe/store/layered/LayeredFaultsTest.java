// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.OperationKey;
import io.retrysafe.internal.SteadyClock;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Phase;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.FaultProxy.Mode;
import io.retrysafe.testing.servers.PostgresServer;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL as the record: whatever happens to the near side, its promises stay. */
@TestInstance(Lifecycle.PER_CLASS)
final class LayeredFaultsTest {
  private static final int CALLERS = 8;

  private final PostgresServer postgres = PostgresServer.start();
  private final PGSimpleDataSource source = new PGSimpleDataSource();

  /** How often each key was granted, and the keys whose completion was acknowledged. */
  private final Map<OperationKey, AtomicInteger> grants = new ConcurrentHashMap<>();

  private final Map<OperationKey, Boolean> settled = new ConcurrentHashMap<>();
  private final AtomicInteger replays = new AtomicInteger();

  private JdbcStore record() {
    return JdbcStore.builder(source).applySchema(true).build();
  }

  @BeforeAll
  void connect() {
    source.setUrl(postgres.url());
  }

  @AfterAll
  void stop() {
    postgres.close();
  }

  @Test
  void aNearSideThatIsKilledFlushedFilledAndPoisonedChangesNoPromise() throws Exception {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        JdbcStore record = record();
        JdbcStore other = record();
        LayeredStore one = Nears.redis(record, redis, SteadyClock.create());
        LayeredStore two = Nears.redis(other, redis, SteadyClock.create())) {
      AtomicBoolean over = new AtomicBoolean();
      List<OperationKey> keys = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        keys.add(Nears.newKey());
      }
      ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        LayeredStore store = i % 2 == 0 ? one : two;
        running.add(callers.submit(() -> call(store, keys, over)));
      }
      for (int i = 0; i < 3; i++) {
        awaitReplays();
        poison(redis);
        awaitReplays();
        redis.tell("CONFIG", "SET", "maxmemory", "1");
        awaitReplays();
        redis.tell("CONFIG", "SET", "maxmemory", "0");
        redis.tell("FLUSHALL");
        awaitReplays();
        redis.kill();
        awaitReplays();
        redis.restart();
      }
      over.set(true);
      for (Future<?> each : running) {
        each.get(60, TimeUnit.SECONDS);
      }
      callers.shutdown();
    }
    assertThat(grants.values()).allSatisfy(count -> assertThat(count).hasValue(1));
  }

  private void call(LayeredStore store, List<OperationKey> keys, AtomicBoolean over) {
    while (!over.get()) {
      OperationKey key = keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
      Claim claim = Nears.claim(key);
      boolean wasSettled = settled.containsKey(key);
      ClaimResult result = store.claim(claim);
      if (result instanceof Granted) {
        grants.computeIfAbsent(key, each -> new AtomicInteger()).incrementAndGet();
        assertThat(store.complete(claim.owner(), Nears.DONE, Nears.RETENTION)).isTrue();
        settled.put(key, true);
      } else if (result instanceof Held held && held.entry().phase() == Phase.SETTLED) {
        assertThat(held.entry().outcome()).contains(Nears.DONE);
        replays.incrementAndGet();
      } else {
        // Somebody runs it; once it was acknowledged as settled nobody may be told so any more.
        assertThat(wasSettled).isFalse();
      }
    }
  }

  private void awaitReplays() {
    int before = replays.get();
    Nears.await(() -> replays.get() > before + 200);
  }

  /** Writes nonsense over some copies, and copies of other keys over some. */
  private static void poison(RedisServer redis) {
    redis.tell(
        "EVAL",
        """
        local keys = redis.call('KEYS', 'retrysafe:near:*')
        for i, key in ipairs(keys) do
          if i % 3 == 0 then redis.call('SET', key, 'nonsense') end
          if i % 3 == 1 and keys[i + 1] then redis.call('COPY', keys[i + 1], key, 'REPLACE') end
        end
        """,
        "0");
  }

  /** What loses answers on Redis alone loses copies here, and nothing else. */
  @Test
  void aReplicaThatLaggedBehindForgetsNothingThatMatters() {
    try (RedisServer primary = RedisServer.start(Aof.OFF);
        FaultProxy line = FaultProxy.start(primary.port());
        RedisServer replica = RedisServer.replica(line.port());
        JdbcStore record = record()) {
      OperationKey key;
      try (LayeredStore before = Nears.redis(record, primary, SteadyClock.create())) {
        line.mode(Mode.STALL);
        key = Nears.settled(before);
        assertThat(Nears.isReplayed(before, key)).isTrue();
        Nears.await(() -> primary.tell("KEYS", "retrysafe:near:*").lines().count() > 0);
      }
      primary.kill();
      replica.tell("REPLICAOF", "NO", "ONE");
      line.mode(Mode.PASS);
      try (LayeredStore after = Nears.redis(record, replica, SteadyClock.create())) {
        assertThat(Nears.isReplayed(after, key)).isTrue();
      }
    }
  }

  @Test
  void aNearSideThatHangsIsNotWaitedForTwice() {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        FaultProxy line = FaultProxy.start(redis.port());
        JdbcStore record = record();
        LayeredStore store =
            LayeredStore.builder(record, Nears.copies("redis://127.0.0.1:" + line.port()))
                .secret(Nears.SECRET)
                .build()) {
      OperationKey key = Nears.settled(store);
      line.mode(Mode.STALL);
      int answered = 0;
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(900);
      while (System.nanoTime() < end) {
        assertThat(Nears.isReplayed(store, key)).isTrue();
        answered++;
      }
      // With a time-out of 100 ms each it would be nine.
      assertThat(answered).isGreaterThan(20);
      line.mode(Mode.PASS);
    }
  }
}
