// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Immediate;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Wakeups;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;

/** A layered store has the capabilities of its record, and no others. */
final class LayeredCapabilitiesTest {
  private final ManualClock clock = new ManualClock();
  private final MemoryStore memory = MemoryStore.builder().clock(clock).build();
  private final Executor blocking = ForkJoinPool.commonPool();

  /** A memory store with a queue and watches, without steps and sweeps. */
  private final class QueuedRecord implements Store, Queued, Wakeups {
    private Duration timeLeft = Duration.ZERO;
    private int claims;

    @Override
    public ClaimResult claim(Claim claim) {
      claims++;
      return memory.claim(claim);
    }

    @Override
    public boolean complete(Owner owner, Outcome outcome, Duration retention) {
      return memory.complete(owner, outcome, retention);
    }

    @Override
    public boolean release(Owner owner, LeaveAs how) {
      return memory.release(owner, how);
    }

    @Override
    public Set<Owner> renew(Set<Owner> owners, Duration lease) {
      return memory.renew(owners, lease);
    }

    @Override
    public Optional<Entry> find(OperationKey key) {
      return memory.find(key);
    }

    @Override
    public Profile profile() {
      return memory.profile();
    }

    @Override
    public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
      timeLeft = CallDeadline.timeLeft(Duration.ofDays(2));
      return CompletableFuture.completedFuture(claim(claim));
    }

    @Override
    public CompletionStage<Boolean> complete(
        Owner owner, Outcome outcome, Duration retention, Executor blocking) {
      return CompletableFuture.completedFuture(complete(owner, outcome, retention));
    }

    @Override
    public CompletionStage<Boolean> release(Owner owner, LeaveAs how, Executor blocking) {
      return CompletableFuture.completedFuture(release(owner, how));
    }

    @Override
    public Watch watch(OperationKey key, Runnable wake) {
      return () -> {};
    }
  }

  private final QueuedRecord record = new QueuedRecord();

  private LayeredStore layered(Store behind) {
    return LayeredStore.builder(behind, MemoryCopies.create(1 << 20, clock)).clock(clock).build();
  }

  private static ClaimResult answer(CompletionStage<ClaimResult> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void theRecordsCapabilitiesAreKept() {
    LayeredStore store = layered(record);

    assertThat(store.capability(Queued.class)).isPresent();
    assertThat(store.capability(Wakeups.class)).containsSame(record);
    assertThat(store.capability(Sweepable.class)).isEmpty();
    assertThat(store.capability(Steps.class)).isEmpty();
    assertThat(store.capability(Browsable.class)).isEmpty();
  }

  @Test
  void nothingIsMadeUp() {
    LayeredStore store = layered(memory);

    assertThat(store.capability(Sweepable.class)).containsSame(memory);
    assertThat(store.capability(Queued.class)).isEmpty();
    assertThat(store.capability(Wakeups.class)).isEmpty();
    assertThat(memory.capability(Immediate.class)).isPresent();
    assertThat(store.capability(Immediate.class)).as("a copy may be waited for").isEmpty();
  }

  @Test
  void theQueueAnswersFromACopyThatItMadeItself() {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        LayeredStore store = Nears.redis(record, redis, clock)) {
      Queued queue = store.capability(Queued.class).orElseThrow();
      OperationKey key = Nears.settled(store);
      int before = record.claims;

      Nears.await(
          () -> {
            int asked = record.claims;
            ClaimResult result = answer(queue.claim(Nears.claim(key), blocking));
            assertThat(((Held) result).entry().outcome()).contains(Nears.DONE);
            return record.claims == asked;
          });
      assertThat(record.claims).isGreaterThan(before);
    }
  }

  @Test
  void theQueuePassesTheCallersDeadlineOn() {
    try (RedisServer redis = RedisServer.start(Aof.OFF);
        LayeredStore store = Nears.redis(record, redis, clock)) {
      Queued queue = store.capability(Queued.class).orElseThrow();
      Claim claim = Nears.claim(Nears.newKey());

      CompletionStage<ClaimResult> stage =
          CallDeadline.within(
              Duration.ofSeconds(5), System::nanoTime, () -> queue.claim(claim, blocking));

      assertThat(answer(stage)).isInstanceOf(Granted.class);
      assertThat(record.timeLeft).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(5));
    }
  }
}
