// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.FaultProxy.Mode;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Connections that stay open and carry nothing, as when the server's host has vanished. */
final class RedisSilenceTest {
  private static final Pattern BUFFERED = Pattern.compile(".* qbuf=[1-9].* cmd=eval.*");

  @Test
  void aConnectionWithoutRepliesIsReplaced() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        FaultProxy proxy = FaultProxy.start(server.port());
        RedisStore store =
            RedisStore.builder("redis://127.0.0.1:" + proxy.port())
                .timeout(Duration.ofMillis(300))
                .build()) {
      Claim claim = Samples.claim(Samples.newKey());
      Set<String> before = Samples.clients(server);
      proxy.mode(Mode.STALL);
      assertThatThrownBy(() -> store.claim(claim)).isInstanceOf(NoAnswerException.class);
      // The proxy has not closed the old connection yet.
      Samples.await(() -> Samples.clients(server).size() > before.size());
      proxy.mode(Mode.PASS);
      Samples.await(() -> isGranted(store, claim));
    }
  }

  @Test
  void callsFailAtOnceWhenTheirConnectionIsLost() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        FaultProxy proxy = FaultProxy.start(server.port());
        RedisStore store =
            RedisStore.builder("redis://127.0.0.1:" + proxy.port())
                .timeout(Duration.ofMinutes(1))
                .build()) {
      server.tell("CLIENT", "PAUSE", "60000", "WRITE");
      Claim claim = Samples.claim(Samples.newKey());
      List<CompletableFuture<?>> sent =
          List.of(
              store.claim(claim, Runnable::run).toCompletableFuture(),
              store
                  .complete(claim.owner(), Samples.DONE, Samples.RETENTION, Runnable::run)
                  .toCompletableFuture());
      // The first command waits in the server, the second one in the server's buffer.
      Samples.await(
          () -> server.tell("CLIENT", "LIST").lines().anyMatch(BUFFERED.asMatchPredicate()));
      proxy.mode(Mode.REFUSE);
      proxy.cut();
      for (CompletableFuture<?> each : sent) {
        assertThat(each)
            .failsWithin(Duration.ofSeconds(20))
            .withThrowableThat()
            .withMessageContaining("Redis did not answer: ");
      }
    }
  }

  private static boolean isGranted(RedisStore store, Claim claim) {
    try {
      return store.claim(claim) instanceof Granted;
    } catch (NoAnswerException e) {
      return false;
    }
  }

  /** Time has to pass here: the guard looks at the connection once a second. */
  @Test
  void idleConnectionsAndListenersStay() throws Exception {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        RedisStore store =
            RedisStore.builder(server.url()).timeout(Duration.ofMillis(300)).build()) {
      Claim claim = Samples.claim(Samples.newKey());
      assertThat(store.claim(claim)).isInstanceOf(Granted.class);
      store.watch(claim.key(), () -> {});
      store.watch(Samples.newKey(), () -> {}).close();
      Set<String> before = Samples.clients(server);
      assertThat(before).hasSize(2);
      TimeUnit.MILLISECONDS.sleep(3500);
      assertThat(Samples.clients(server)).isEqualTo(before);
    }
  }
}
