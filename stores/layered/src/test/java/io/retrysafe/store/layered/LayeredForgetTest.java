// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.internal.SteadyClock;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.memory.MemoryStore;
import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.FaultProxy.Mode;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What an operator had forgotten stays forgotten, whatever happens to the near side meanwhile. */
final class LayeredForgetTest {
  private final MemoryStore record = MemoryStore.create();

  private static LayeredStore store(MemoryStore record, NearCopies copies) {
    return LayeredStore.builder(record, copies).secret(Nears.SECRET).build();
  }

  /** Returns a key whose answer is copied. */
  private static OperationKey copied(LayeredStore store, NearCopies copies) {
    OperationKey key = Nears.settled(store);
    // More than once, because no copy is made just after the near side was silent.
    Nears.await(() -> Nears.isReplayed(store, key) && copies.get(key).isPresent());
    return key;
  }

  private static Resolved forget(LayeredStore store, OperationKey key) {
    return Nears.forget(store, store.find(key).orElseThrow());
  }

  @Test
  void aForgottenAnswerDoesNotSurviveAReconnect() {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        FaultProxy line = FaultProxy.start(redis.port());
        NearCopies copies = Nears.copies("redis://127.0.0.1:" + line.port());
        LayeredStore here = store(record, copies);
        LayeredStore there = Nears.redis(record, redis, SteadyClock.create())) {
      List<String> replayed = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        OperationKey key = copied(here, copies);
        line.cut();
        assertThat(forget(here, key)).isEqualTo(Resolved.APPLIED);
        if (Nears.isReplayed(here, key)) {
          replayed.add("here " + i);
        }
        if (Nears.isReplayed(there, key)) {
          replayed.add("there " + i);
        }
      }
      assertThat(replayed).isEmpty();
    }
  }

  @Test
  void whereTheNearSideIsGoneTheCopyIsDroppedWhenItIsBack() {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        FaultProxy line = FaultProxy.start(redis.port());
        NearCopies copies = Nears.copies("redis://127.0.0.1:" + line.port());
        LayeredStore here = store(record, copies);
        LayeredStore there = Nears.redis(record, redis, SteadyClock.create())) {
      OperationKey key = copied(here, copies);
      line.mode(Mode.REFUSE);
      line.cut();
      assertThat(forget(here, key)).isEqualTo(Resolved.APPLIED);
      assertThat(Nears.isReplayed(there, key)).as("it cannot know yet").isTrue();
      line.mode(Mode.PASS);
      // By itself: a claim here would not look at the copy, and none is made there.
      Nears.await(() -> !Nears.isReplayed(there, key));
      assertThat(Nears.isReplayed(here, key)).isFalse();
    }
  }

  /** Copies in memory whose replacements throw an Error a few times. */
  private static final class Failing implements NearCopies {
    private final NearCopies copies = MemoryCopies.create(1 << 20);
    private final AtomicInteger left;

    Failing(int times) {
      this.left = new AtomicInteger(times);
    }

    @Override
    public Optional<Bytes> get(OperationKey key) {
      return copies.get(key);
    }

    @Override
    public void add(OperationKey key, Bytes copy, Duration time) {
      copies.add(key, copy, time);
    }

    @Override
    public boolean replace(OperationKey key, Bytes copy, Duration time) {
      int before = left.getAndDecrement();
      if (before == 1) {
        throw new StackOverflowError("thrown where a copy is dropped");
      }
      return before < 1 && copies.replace(key, copy, time);
    }

    @Override
    public boolean isShared() {
      return false;
    }

    @Override
    public void close() {
      copies.close();
    }
  }

  @Test
  void anErrorWhereACopyIsDroppedDoesNotEndTheDropping() {
    // One that nobody confirms while it is forgotten, then an Error in the background.
    Failing copies = new Failing(2);
    try (LayeredStore store = LayeredStore.create(record, copies)) {
      OperationKey first = copied(store, copies);
      forget(store, first);
      LayeredStore other = LayeredStore.create(record, copies);
      Nears.await(() -> other.claim(Nears.claim(first)) instanceof Granted);

      copies.left.set(2);
      OperationKey second = copied(store, copies);
      forget(store, second);
      Nears.await(() -> other.claim(Nears.claim(second)) instanceof Granted);
    }
  }

  @Test
  void beyondTheKeysThatItRemembersAProcessBelievesNoCopyAtAll() {
    ManualClock clock = new ManualClock();
    Forgotten forgotten = new Forgotten(key -> true, Duration.ofMinutes(5), clock, 2);
    OperationKey other = Nears.newKey();
    forgotten.add(Nears.newKey());
    forgotten.add(Nears.newKey());
    assertThat(forgotten.contains(other)).isFalse();
    forgotten.add(Nears.newKey());
    assertThat(forgotten.contains(other)).isTrue();
    clock.advance(Duration.ofMinutes(5));
    assertThat(forgotten.contains(other)).isFalse();
  }

  @Test
  void answersAreCopiedForEver() {
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
    try (LayeredStore store =
        LayeredStore.builder(record, MemoryCopies.create(1 << 20)).nearTtl(forEver).build()) {
      OperationKey key = Nears.settled(store);
      assertThat(Nears.isReplayed(store, key)).isTrue();
      assertThat(Nears.isReplayed(store, key)).isTrue();
      forget(store, key);
      assertThat(Nears.isReplayed(store, key)).isFalse();
    }
  }
}
