// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.Wakeups;
import io.retrysafe.store.testkit.PromiseTable;
import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.FaultProxy.Mode;
import io.retrysafe.testing.servers.RedisSentinel;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a failover does. */
final class RedisFailoverTest {

  /** The documented loss: this is why the promise with failover is "best effort". */
  @Test
  void aReplicaThatLaggedBehindForgetsWhatWasAcknowledged() {
    try (RedisServer primary = RedisServer.start();
        FaultProxy line = FaultProxy.start(primary.port());
        RedisServer replica = RedisServer.replica(line.port());
        RedisStore before = RedisStore.create(primary.url())) {
      Claim early = Samples.claim(Samples.newKey());
      before.claim(early);
      before.complete(early.owner(), Samples.DONE, Samples.RETENTION);
      primary.awaitCopyOn(replica);
      line.mode(Mode.STALL);
      Claim late = Samples.claim(Samples.newKey());
      before.claim(late);
      assertThat(before.complete(late.owner(), Samples.DONE, Samples.RETENTION)).isTrue();

      primary.kill();
      replica.tell("REPLICAOF", "NO", "ONE");
      line.mode(Mode.PASS);

      try (RedisStore after = RedisStore.create(replica.url())) {
        assertThat(after.claim(Samples.claim(early.key()))).isInstanceOf(Held.class);
        assertThat(after.claim(Samples.claim(late.key()))).isInstanceOf(Granted.class);
      }
    }
  }

  @Test
  void sentinelLeadsToThePrimaryOfTheMoment() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.replica(primary.port());
        RedisSentinel sentinel = RedisSentinel.start(primary)) {
      Samples.await(() -> sentinel.sees(1));
      try (RedisStore store = RedisStore.create(sentinel.url())) {
        assertThat(store.profile().promise()).startsWith("best effort");
        PromiseTable.declare(store.profile());
        Claim claim = Samples.claim(Samples.newKey());
        assertThat(store.claim(claim)).isInstanceOf(Granted.class);
        primary.awaitCopyOn(replica);

        AtomicInteger wakes = new AtomicInteger();
        Wakeups.Watch watch = store.watch(claim.key(), wakes::incrementAndGet);
        primary.kill();
        sentinel.promotes(replica);

        Samples.await(() -> isHeld(store, claim));
        String channel = Samples.entry(claim.key());
        Samples.await(() -> replica.tell("PUBSUB", "NUMSUB", channel).endsWith("1"));
        Samples.await(() -> completes(store, claim));
        Samples.await(() -> wakes.get() > 0);
        watch.close();

        // Back and well, but somebody else is the primary now: nothing may go there.
        primary.restart();
        Claim next = Samples.claim(Samples.newKey());
        assertThat(store.claim(next)).isInstanceOf(Granted.class);
        assertThat(replica.tell("EXISTS", Samples.entry(next.key()))).isEqualTo("1");
        try (RedisStore late = RedisStore.create(sentinel.url())) {
          assertThat(late.find(next.key())).isPresent();
        }
      }
    }
  }

  private static boolean isHeld(RedisStore store, Claim claim) {
    try {
      ClaimResult result = store.claim(Samples.claim(claim.key()));
      return result instanceof Held;
    } catch (StoreException e) {
      return false;
    }
  }

  private static boolean completes(RedisStore store, Claim claim) {
    try {
      return store.complete(claim.owner(), Samples.DONE, Samples.RETENTION);
    } catch (StoreException e) {
      return false;
    }
  }

  @Test
  void withoutAnAppendOnlyFileARestartForgets() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        RedisStore store = RedisStore.create(server.url())) {
      Claim claim = Samples.claim(Samples.newKey());
      store.claim(claim);
      store.complete(claim.owner(), Samples.DONE, Samples.RETENTION);
      server.kill();
      server.restart();
      Samples.await(() -> isGranted(store, claim));
    }
  }

  private static boolean isGranted(RedisStore store, Claim claim) {
    try {
      return store.claim(Samples.claim(claim.key())) instanceof Granted;
    } catch (StoreException e) {
      return false;
    }
  }
}
