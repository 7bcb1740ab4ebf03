// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History.Event;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.State;
import io.retrysafe.store.testkit.PromiseTable;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** What a store finds out, says and refuses when it starts. */
final class RedisStartTest {

  @Test
  void anAddressIsEnough() {
    try (RedisServer server = RedisServer.start(Aof.OFF)) {
      String url = server.url();
      // snippet:start
      RedisStore store = RedisStore.create(url);
      // end
      try (store) {
        assertThat(store.claim(Samples.claim(Samples.newKey()))).isInstanceOf(Granted.class);
      }
    }
  }

  @Test
  void theDocumentedRightsAreEnough() {
    try (RedisServer server = RedisServer.start(Aof.OFF)) {
      String rights =
          "+eval +evalsha +time +hmget +hset +hget +hgetall +hstrlen +hexists +hkeys +hdel +del +pexpireat"
              + " +zadd +zrem +zrangebyscore +zrevrangebyscore +zremrangebyrank +scan +info +ping +client +publish +subscribe"
              + " +unsubscribe ~{retrysafe:* &{retrysafe:*";
      server.tell(("ACL SETUSER app on >s3cret " + rights).split(" ", -1));
      try (RedisStore store = RedisStore.create("redis://app:s3cret@127.0.0.1:" + server.port())) {
        Claim claim = Samples.claim(Samples.newKey());
        store.claim(claim);
        store.step(claim.owner(), "one", Bytes.utf8("1"));
        store.renew(Set.of(claim.owner()), Duration.ofSeconds(30));
        store.watch(claim.key(), () -> {}).close();
        store.release(claim.owner(), Release.RESUMABLE);
        Claim next = Samples.claim(claim.key());
        assertThat(store.claim(next)).isInstanceOf(Granted.class);
        store.append(
            List.of(new Event(claim.key(), "k", "b", Instant.EPOCH, Instant.EPOCH, 1, "")));
        assertThat(store.history(claim.key())).hasSize(1);
        store.append(
            List.of(new Event(claim.key(), "resolved", "b", Instant.EPOCH, Instant.EPOCH, 1, "")));
        assertThat(store.audit(Instant.now(), 10)).hasSize(1);
        assertThat(store.complete(next.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
        assertThat(store.browse(Query.of(EnumSet.allOf(State.class), 10)).entries()).hasSize(1);
        assertThat(store.browse(Query.of(Set.of(State.UNKNOWN), 10)).entries()).isEmpty();
        Entry seen = store.find(claim.key()).orElseThrow();
        assertThat(store.resolve(seen, Samples.newToken(), new Resolution.Forget()))
            .isEqualTo(Resolved.APPLIED);
      }
    }
  }

  /** What the page about this store says of its size. */
  @Test
  void anEntryTakesAboutFiveHundredAndFiftyBytes() {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        RedisStore store = RedisStore.create(server.url())) {
      Claim claim = Samples.claim(Samples.newKey());
      store.claim(claim);
      Outcome answer = Outcome.of(Bytes.wrap(new byte[100]));
      store.complete(claim.owner(), answer, Samples.RETENTION);
      String size = server.tell("MEMORY", "USAGE", Samples.entry(claim.key()), "SAMPLES", "0");
      assertThat(Integer.parseInt(size)).isBetween(500, 600);
    }
  }

  @Test
  void aServerThatEvictsIsRefused() {
    try (RedisServer server =
        RedisServer.start(Aof.OFF, Map.of("maxmemory-policy", "allkeys-lru"))) {
      assertThatThrownBy(() -> RedisStore.create(server.url()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("maxmemory-policy allkeys-lru")
          .hasMessageContaining("set it to noeviction");
    }
  }

  @Test
  void aReplicaIsRefusedAndItsPrimaryPromisesLess() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.replica(primary.port());
        RedisStore store = RedisStore.create(primary.url())) {
      assertThatThrownBy(() -> RedisStore.create(replica.url()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is a replica");
      assertThat(store.profile().promise()).startsWith("best effort");
      assertThat(store.profile().conditions())
          .anyMatch(condition -> condition.contains("asynchronous"));
    }
  }

  @Test
  void theProfileSaysWhatAMissingAppendOnlyFileMeans() {
    try (RedisServer kept = RedisServer.start();
        RedisServer forgetful = RedisServer.start(Aof.OFF);
        RedisStore one = RedisStore.create(kept.url());
        RedisStore two = RedisStore.create(forgetful.url())) {
      assertThat(one.profile().promise())
          .isEqualTo(
              "one live owner, fenced completion and one recorded answer while the data survives");
      assertThat(two.profile().promise()).contains("until the server stops");
      PromiseTable.declare(two.profile());
      assertThat(two.profile().conditions())
          .anyMatch(condition -> condition.contains("`appendonly` is off"));
    }
  }

  @Test
  void theStartWarnsOfReplicasAndOfAMissingAppendOnlyFile() {
    List<String> said = new ArrayList<>();
    Logger log = Logger.getLogger(RedisStore.class.getName());
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            said.add(entry.getLevel() + " " + entry.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    log.addHandler(handler);
    try (RedisServer kept = RedisServer.start();
        RedisServer forgetful = RedisServer.start(Aof.OFF)) {
      RedisStore.create(kept.url()).close();
      assertThat(said).isEmpty();
      RedisStore.create(forgetful.url()).close();
      assertThat(said).singleElement().asString().contains("WARNING", "append-only file");
      try (RedisServer replica = RedisServer.replica(kept.port())) {
        assertThat(replica.port()).isPositive();
        RedisStore.create(kept.url()).close();
      }
      assertThat(said).hasSize(2).last().asString().contains("WARNING", "asynchronous");
    } finally {
      log.removeHandler(handler);
    }
  }

  @Test
  void aServerThatIsNotThereInTimeIsNoAnswer() {
    RedisStore.Builder builder =
        RedisStore.builder("redis://127.0.0.1:1").startWithin(Duration.ofMillis(300));
    assertThatThrownBy(builder::build)
        .isInstanceOf(NoAnswerException.class)
        .hasMessageContaining("PT0.3S");
  }

  @Test
  void theApplicationsOwnClientStaysOpen() {
    try (RedisServer server = RedisServer.start(Aof.OFF)) {
      RedisClient client = RedisClient.create(server.url());
      try (RedisStore store = RedisStore.builder(client).namespace("orders").build()) {
        Claim claim = Samples.claim(Samples.newKey());
        assertThat(store.claim(claim)).isInstanceOf(Granted.class);
        assertThat(server.tell("KEYS", "{orders:*").lines()).hasSize(2);
      }
      assertThat(client.connect().sync().ping()).isEqualTo("PONG");
      client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
  }

  @Test
  void namespacesThatCouldMeanMoreAreRefused() {
    assertThatThrownBy(() -> RedisStore.builder("redis://x").namespace("a{b}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a{b}");
  }

  @Test
  void aClustersAddressNamesItsSeeds() {
    assertThat(RedisClients.seeds("redis-cluster://app:s3cret@a:1,b:2", Duration.ofSeconds(1)))
        .extracting(RedisURI::getHost, RedisURI::getPort, RedisURI::isSsl)
        .containsExactly(tuple("a", 1, false), tuple("b", 2, false));
    assertThat(RedisClients.seeds("rediss-cluster://a:1", Duration.ofSeconds(1)))
        .allMatch(RedisURI::isSsl);
  }

  @Test
  void aServerThatComesBackIsFoundWithinASecond() {
    for (String url : List.of("redis://127.0.0.1", "redis-cluster://127.0.0.1")) {
      AbstractRedisClient client =
          RedisClients.client(url, Duration.ofSeconds(1), DisconnectedBehavior.DEFAULT);
      assertThat(client.getResources().reconnectDelay().createDelay(1_000))
          .isLessThanOrEqualTo(Duration.ofSeconds(1));
      RedisClients.shutdown(client);
    }
  }
}
