// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.memory.MemoryStore;
import io.retrysafe.store.redis.RedisCopies;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When an answer comes from a copy, and when it must not. */
final class LayeredStoreTest {
  private final ManualClock clock = new ManualClock();
  private final MemoryStore record = MemoryStore.builder().clock(clock).build();

  /** The same entries without their answers: whoever replays has it from a copy. */
  private final MemoryStore empty = MemoryStore.builder().clock(clock).build();

  private LayeredStore store(MemoryStore behind, NearCopies copies) {
    return LayeredStore.builder(behind, copies).clock(clock).build();
  }

  @Test
  void anAddressAndASecretAreEnough() {
    try (RedisServer redis = RedisServer.start(Aof.OFF)) {
      String url = redis.url();
      byte[] secret = Nears.SECRET;
      // snippet:start
      LayeredStore store =
          LayeredStore.builder(record, RedisCopies.create(url)).secret(secret).build();
      // end
      try (store) {
        assertThat(Nears.isReplayed(store, Nears.settled(store))).isTrue();
      }
    }
  }

  @Test
  void aReplayIsAnsweredFromItsCopyForAsLongAsThatLives() {
    MemoryCopies copies = MemoryCopies.create(1 << 20, clock);
    LayeredStore store = store(record, copies);
    OperationKey key = Nears.settled(store);
    assertThat(copies.get(key)).as("nobody has asked again yet").isEmpty();
    assertThat(Nears.isReplayed(store, key)).isTrue();

    LayeredStore near = store(empty, copies);
    clock.advance(Duration.ofMinutes(4));
    assertThat(Nears.isReplayed(near, key)).isTrue();
    clock.advance(Duration.ofMinutes(1));
    assertThat(near.claim(Nears.claim(key))).isInstanceOf(Granted.class);
  }

  @Test
  void aCopyDoesNotOutliveItsEntry() {
    MemoryCopies copies = MemoryCopies.create(1 << 20, clock);
    LayeredStore store = store(record, copies);
    OperationKey key = Nears.settled(store);
    clock.advance(Nears.RETENTION.minusSeconds(30));
    assertThat(Nears.isReplayed(store, key)).isTrue();
    assertThat(copies.get(key)).isPresent();
    clock.advance(Duration.ofSeconds(30));
    assertThat(copies.get(key)).isEmpty();
    assertThat(store.claim(Nears.claim(key))).isInstanceOf(Granted.class);
  }

  @Test
  void onlySettledEntriesAreCopied() {
    MemoryCopies copies = MemoryCopies.create(1 << 20, clock);
    LayeredStore store = store(record, copies);
    Claim running = Nears.claim(Nears.newKey());
    store.claim(running);
    store.claim(Nears.claim(running.key()));
    store.find(running.key());
    assertThat(copies.taken()).isZero();
  }

  @Test
  void whatIsForgottenIsNotReplayedNorCopiedLate() {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        LayeredStore here = Nears.redis(record, redis, clock);
        LayeredStore there = Nears.redis(record, redis, clock)) {
      OperationKey key = Nears.settled(here);
      assertThat(Nears.isReplayed(there, key)).isTrue();
      Entry seen = here.find(key).orElseThrow();

      assertThat(Nears.forget(here, seen)).isEqualTo(Resolved.APPLIED);

      // As somebody does who read the entry just before.
      new Near(Nears.copies(redis.url()), Seal.of(Nears.SECRET), Duration.ofMinutes(5), clock)
          .copy(seen, clock.instant());
      assertThat(there.claim(Nears.claim(key))).isInstanceOf(Granted.class);
    }
  }

  @Test
  void aNearSideThatWasSilentIsToldOnceMoreWhatIsForgotten() {
    LayeredStore store = store(record, new SilentOnce(MemoryCopies.create(1 << 20, clock)));
    OperationKey key = Nears.settled(store);
    assertThat(Nears.isReplayed(store, key)).isTrue();
    Entry seen = store.find(key).orElseThrow();

    assertThat(Nears.forget(store, seen)).isEqualTo(Resolved.APPLIED);

    assertThat(store.claim(Nears.claim(key))).isInstanceOf(Granted.class);
  }

  /** Copies whose first replacement is lost. */
  private static final class SilentOnce implements NearCopies {
    private final NearCopies copies;
    private boolean wasSilent;

    SilentOnce(NearCopies copies) {
      this.copies = copies;
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
      boolean isHeard = wasSilent;
      wasSilent = true;
      return isHeard && copies.replace(key, copy, time);
    }

    @Override
    public boolean isShared() {
      return copies.isShared();
    }

    @Override
    public void close() {
      copies.close();
    }
  }

  @Test
  void copiesThatOthersCanWriteNeedASecret() {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        NearCopies copies = Nears.copies(redis.url())) {
      assertThatThrownBy(() -> LayeredStore.create(record, copies))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("give a secret");
      assertThatThrownBy(() -> LayeredStore.builder(record, copies).secret(new byte[8]))
          .hasMessageContaining("at least 16 bytes, this one has 8");
    }
  }

  @Test
  void forgedCopiesAreNotBelieved() {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        NearCopies copies = Nears.copies(redis.url());
        LayeredStore store = Nears.redis(record, redis, clock)) {
      OperationKey key = Nears.settled(store);
      Entry entry = record.find(key).orElseThrow();
      byte[] wrong = Nears.SECRET.clone();
      wrong[0]++;
      new Near(copies, Seal.of(wrong), Duration.ofMinutes(5), clock).copy(entry, clock.instant());
      Nears.await(() -> copies.get(key).isPresent());

      LayeredStore near =
          LayeredStore.builder(empty, copies).secret(Nears.SECRET).clock(clock).build();
      assertThat(near.claim(Nears.claim(key))).isInstanceOf(Granted.class);
    }
  }

  @Test
  void aCopyOfAnotherKeyIsNotBelieved() {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        NearCopies copies = Nears.copies(redis.url());
        LayeredStore store = Nears.redis(record, redis, clock)) {
      OperationKey key = Nears.settled(store);
      assertThat(Nears.isReplayed(store, key)).isTrue();
      Nears.await(() -> copies.get(key).isPresent());
      OperationKey other = Nears.newKey();
      assertThat(copies.replace(other, copies.get(key).orElseThrow(), Duration.ofMinutes(1)))
          .isTrue();

      assertThat(store.claim(Nears.claim(other))).isInstanceOf(Granted.class);
    }
  }

  @Test
  void copiesTakeNoMoreThanTheirBytes() {
    MemoryCopies copies = MemoryCopies.create(10_000, clock);
    LayeredStore store = store(record, copies);
    OperationKey used = Nears.settled(store);
    assertThat(Nears.isReplayed(store, used)).isTrue();
    for (int i = 0; i < 200; i++) {
      assertThat(Nears.isReplayed(store, Nears.settled(store))).isTrue();
      assertThat(Nears.isReplayed(store, used)).isTrue();
      assertThat(copies.taken()).isLessThanOrEqualTo(10_000);
    }
    assertThat(copies.taken()).isGreaterThan(5_000);
    assertThat(copies.get(used)).as("used all the time").isPresent();
  }
}
