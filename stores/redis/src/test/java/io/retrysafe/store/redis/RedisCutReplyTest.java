// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Release;
import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Connections that are lost in the middle of a reply, at every byte of it: callers get no answer,
 * nothing is sent again, and whoever asks again with the same token gets what is his.
 */
final class RedisCutReplyTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final byte[] RETENTION = Micros.of(Duration.ofDays(30));
  private static final Outcome OUTCOME = Outcome.of(Bytes.utf8("o"));

  /** A server with two ways to it: one that is cut, and one that is not. */
  private record Site(RedisServer server, FaultProxy proxy, RedisStore direct)
      implements AutoCloseable {
    static Site start() {
      RedisServer server = RedisServer.start(Aof.OFF);
      return new Site(
          server,
          FaultProxy.start(server.port()),
          RedisStore.builder(server.url()).timeout(TIMEOUT).build());
    }

    String url() {
      return "redis://127.0.0.1:" + proxy.port();
    }

    @Override
    public void close() {
      direct.close();
      proxy.close();
      server.close();
    }
  }

  /** A claim of a new key, of a settled one, and of one that was left with a step. */
  private record Three(Claim fresh, Claim settled, Claim resumed) {
    static Three in(RedisStore store) {
      Claim before = Samples.claim(Samples.newKey());
      store.claim(before);
      store.complete(before.owner(), OUTCOME, Samples.RETENTION);
      Claim left = Samples.claim(Samples.newKey());
      store.claim(left);
      store.step(left.owner(), "s", Bytes.utf8(left.key().value()));
      store.release(left.owner(), Release.RESUMABLE);
      return new Three(
          Samples.claim(Samples.newKey()), Samples.claim(before.key()), Samples.claim(left.key()));
    }

    List<Claim> all() {
      return List.of(fresh, settled, resumed);
    }

    void expectOwn(List<ClaimResult> results) {
      assertThat(results.get(0))
          .isInstanceOfSatisfying(
              Granted.class, granted -> assertThat(granted.attempt()).isEqualTo(1));
      assertThat(results.get(1))
          .isInstanceOfSatisfying(
              Held.class, held -> assertThat(held.entry().outcome()).contains(OUTCOME));
      assertThat(results.get(2))
          .isInstanceOfSatisfying(
              Granted.class,
              granted -> {
                assertThat(granted.attempt()).isEqualTo(2);
                assertThat(granted.steps())
                    .containsExactly(Map.entry("s", Bytes.utf8(resumed.key().value())));
              });
    }
  }

  private static ScriptCall call(Claim claim) {
    EntryKeys keys = EntryKeys.of("retrysafe", claim.key());
    return new ScriptCall(
        TIMEOUT,
        new byte[][] {keys.entry(), keys.index()},
        EntryFormat.token(claim.token()),
        EntryFormat.terms(claim),
        EntryFormat.identity(claim));
  }

  private static List<ScriptCall> send(RedisConnection link, List<Claim> claims) {
    Batch.Transport wire =
        new ScriptTransport(Script.CLAIM, link, RedisCommands.LARGEST_SHARED, RETENTION);
    List<ScriptCall> calls = claims.stream().map(RedisCutReplyTest::call).toList();
    new Batch(wire, calls, large -> {}, () -> {}).send(false);
    return calls;
  }

  /** Cuts a batched reply after every {@code step}th byte, and returns how long it is. */
  private static int cutEverywhere(Site site, RedisConnection link, int first, int step) {
    for (int cut = first; ; cut += step) {
      Three three = Three.in(site.direct());
      awaitConnection(link);
      long before = Samples.scripts(site.server());
      site.proxy().cutAnswersAfter(cut);
      List<ScriptCall> calls = send(link, three.all());
      if (cut > 0 && isWhole(calls)) {
        return cut;
      }
      for (ScriptCall call : calls) {
        assertThatThrownBy(call::await)
            .as("cut after %s bytes", cut)
            .isInstanceOf(NoAnswerException.class)
            .hasMessageContaining("lost");
      }
      assertThat(Samples.scripts(site.server()) - before)
          .as("runs, cut after %s", cut)
          .isEqualTo(1);
      three.expectOwn(three.all().stream().map(site.direct()::claim).toList());
    }
  }

  /** Waits for the connection, whose first answers are not to be cut. */
  private static void awaitConnection(RedisConnection link) {
    RedisCommands calls = new RedisCommands(link, TIMEOUT);
    calls.await(calls.send(CommandType.PING, new StatusOutput<>(ByteArrayCodec.INSTANCE), null));
  }

  private static boolean isWhole(List<ScriptCall> calls) {
    try {
      calls.forEach(ScriptCall::await);
      return true;
    } catch (NoAnswerException e) {
      return false;
    }
  }

  /** Several at once, because most of the time is spent on the way to the next connection. */
  @Test
  void aBatchedReplyThatIsCutAtAnyByteIsNoAnswerForEachOfItsCallers() throws Exception {
    int workers = 6;
    ExecutorService threads = Executors.newFixedThreadPool(workers);
    List<Future<Integer>> lengths = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      int first = i;
      lengths.add(
          threads.submit(
              () -> {
                try (Site site = Site.start();
                    RedisConnection link =
                        RedisClients.open(site.url(), TIMEOUT, DisconnectedBehavior.DEFAULT)) {
                  return cutEverywhere(site, link, first, workers);
                }
              }));
    }
    for (Future<Integer> length : lengths) {
      assertThat(length.get(120, TimeUnit.SECONDS)).isGreaterThan(250);
    }
    threads.shutdown();
  }

  /** Such a client would send everything again, as Lettuce does unless told otherwise. */
  @Test
  void anApplicationsOwnClientSendsNothingAgainEither() {
    try (Site site = Site.start()) {
      RedisClient client = RedisClient.create(site.url());
      try (RedisConnection link = RedisClients.open(client)) {
        assertThat(cutEverywhere(site, link, 0, 23)).isGreaterThan(250);
      } finally {
        RedisClients.shutdown(client);
      }
    }
  }

  @Test
  void aClusterSendsNothingAgainEither() {
    try (RedisServer node = clusterOfOne();
        FaultProxy line = FaultProxy.start(node.port())) {
      node.tell("CONFIG", "SET", "cluster-announce-ip", "127.0.0.1");
      node.tell("CONFIG", "SET", "cluster-announce-port", Integer.toString(line.port()));
      String url = "redis-cluster://127.0.0.1:" + line.port();
      try (RedisStore store = RedisStore.builder(url).timeout(TIMEOUT).build()) {
        Claim before = Samples.claim(Samples.newKey());
        store.claim(before);
        store.complete(before.owner(), OUTCOME, Samples.RETENTION);
        for (int cut = 0; ; cut += 13) {
          Claim retry = Samples.claim(before.key());
          assertThat(store.find(before.key())).isPresent();
          long runs = Samples.scripts(node);
          line.cutAnswersAfter(cut);
          try {
            assertThat(store.claim(retry)).isInstanceOf(Held.class);
            assertThat(cut).isGreaterThan(100);
            return;
          } catch (NoAnswerException e) {
            assertThat(e).hasMessageContaining("lost");
          }
          assertThat(Samples.scripts(node) - runs).as("runs, cut after %s bytes", cut).isEqualTo(1);
        }
      }
    }
  }

  private static RedisServer clusterOfOne() {
    RedisServer node =
        RedisServer.start(
            Aof.OFF, Map.of("cluster-enabled", "yes", "cluster-config-file", "nodes.conf"));
    node.tell("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    Samples.await(() -> node.tell("CLUSTER", "INFO").contains("cluster_state:ok"));
    return node;
  }
}
