// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Claim;
import io.retrysafe.store.Release;
import io.retrysafe.store.Wakeups.Watch;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who waits in one process hears of what ends in another. */
final class RedisWakeupsTest {

  @Test
  void theEndOfAnOperationIsToldToOtherProcesses() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        RedisStore here = RedisStore.create(server.url());
        RedisStore there = RedisStore.create(server.url())) {
      Claim settled = Samples.claim(Samples.newKey());
      Claim released = Samples.claim(Samples.newKey());
      there.claim(settled);
      there.claim(released);
      AtomicInteger wakes = new AtomicInteger();
      Watch one = here.watch(settled.key(), wakes::incrementAndGet);
      Watch same = here.watch(settled.key(), wakes::incrementAndGet);
      Watch other = here.watch(released.key(), wakes::incrementAndGet);
      Samples.await(() -> channels(server) == 2);

      there.complete(settled.owner(), Samples.DONE, Samples.RETENTION);
      Samples.await(() -> wakes.get() == 2);
      there.release(released.owner(), Release.UNKNOWN);
      Samples.await(() -> wakes.get() == 3);

      one.close();
      other.close();
      Samples.await(() -> channels(server) == 1);
      same.close();
      Samples.await(() -> channels(server) == 0);
      assertThat(wakes).hasValue(3);
    }
  }

  private static long channels(RedisServer server) {
    return server.tell("PUBSUB", "CHANNELS").lines().count();
  }
}
