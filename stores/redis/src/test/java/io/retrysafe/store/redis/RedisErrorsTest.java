// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Wakeups.Watch;
import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.FaultProxy.Mode;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Errors where threads of the store and of its client run, limits, and times that are over. */
final class RedisErrorsTest {
  private static RedisServer server;
  private static RedisStore store;

  @BeforeAll
  static void start() {
    server = RedisServer.start(Aof.OFF);
    store = RedisStore.builder(server.url()).timeout(Duration.ofSeconds(20)).build();
  }

  @AfterAll
  static void stop() {
    store.close();
    server.close();
  }

  private static Claim running() {
    Claim claim = Samples.claim(Samples.newKey());
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    return claim;
  }

  @Test
  void anErrorOfAListenerIsNotTheOthersTrouble() {
    Claim claim = running();
    AtomicInteger wakes = new AtomicInteger();
    Watch broken =
        store.watch(
            claim.key(),
            () -> {
              throw new StackOverflowError("thrown by a listener");
            });
    Watch well = store.watch(claim.key(), wakes::incrementAndGet);
    String channel = Samples.entry(claim.key());
    Samples.await(() -> server.tell("PUBSUB", "NUMSUB", channel).endsWith("1"));
    store.release(claim.owner(), Release.UNKNOWN);
    Samples.await(() -> wakes.get() == 1);
    store.complete(claim.owner(), Samples.DONE, Samples.RETENTION);
    Samples.await(() -> wakes.get() == 2);
    broken.close();
    well.close();
  }

  @Test
  void anErrorOfWhoeverTakesAnAnswerIsHisOwn() {
    for (int i = 0; i < 50; i++) {
      Claim claim = Samples.claim(Samples.newKey());
      store
          .claim(claim, Runnable::run)
          .whenComplete(
              (result, failure) -> {
                throw new StackOverflowError("thrown where an answer is taken");
              });
      assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
    }
    running();
  }

  @Test
  void anErrorWhereNearCopiesConnectIsTriedAgain() {
    AtomicInteger tries = new AtomicInteger();
    RedisCopies.Builder builder =
        RedisCopies.builder(
            timeout -> {
              if (tries.incrementAndGet() < 3) {
                throw new NoClassDefFoundError("thrown where near copies connect");
              }
              return RedisClients.open(
                  server.url(), Duration.ofSeconds(10), DisconnectedBehavior.REJECT_COMMANDS);
            });
    try (RedisCopies copies = builder.timeout(Duration.ofSeconds(5)).build()) {
      OperationKey key = Samples.newKey();
      Samples.await(() -> copies.replace(key, Bytes.utf8("x"), Duration.ofMinutes(1)));
      assertThat(copies.get(key)).contains(Bytes.utf8("x"));
      assertThat(tries).hasValue(3);
    }
  }

  @Test
  void largeNearCopiesAreReadByThemselves() {
    try (RedisCopies copies =
        RedisCopies.builder(server.url()).timeout(Duration.ofSeconds(10)).build()) {
      OperationKey large = Samples.newKey();
      Bytes bytes = Bytes.wrap(new byte[3_000_000]);
      Samples.await(() -> copies.replace(large, bytes, Duration.ofMinutes(1)));
      assertThat(copies.get(large)).contains(bytes);
      assertThat(copies.get(Samples.newKey())).isEmpty();
      OperationKey foreign = Samples.newKey();
      copies.replace(foreign, Bytes.utf8("x"), Duration.ofMinutes(1));
      String name =
          server
              .tell("KEYS", "retrysafe:near:*")
              .lines()
              .filter(key -> isSmall(key))
              .toList()
              .get(0);
      server.tell("DEL", name);
      server.tell("RPUSH", name, "something else");
      assertThat(copies.get(foreign)).isEmpty();
      assertThat(copies.get(large)).as("nobody was silent").contains(bytes);
    }
  }

  private static boolean isSmall(String name) {
    return server.tell("STRLEN", name).length() < 3;
  }

  @Test
  void whatIsLargerThanDeclaredIsRefused() {
    Claim claim = running();
    Outcome fits = Outcome.of(Bytes.wrap(new byte[store.profile().largestOutcome() - 12]));
    Outcome larger = Outcome.of(Bytes.wrap(new byte[store.profile().largestOutcome() - 11]));
    Outcome huge = Outcome.of(Bytes.wrap(new byte[40 << 20]));
    for (Outcome outcome : new Outcome[] {larger, huge}) {
      assertThatThrownBy(() -> store.complete(claim.owner(), outcome, Samples.RETENTION))
          .isInstanceOf(RefusedCallException.class)
          .hasMessageContaining("at most 4194304 fit");
    }
    Bytes result = Bytes.wrap(new byte[20 << 20]);
    assertThatThrownBy(() -> store.step(claim.owner(), "s", result))
        .isInstanceOf(RefusedCallException.class)
        .hasMessageContaining("at most 65536 fit");
    store.release(claim.owner(), Release.UNKNOWN);
    Entry seen = store.find(claim.key()).orElseThrow();
    Resolution done = new Resolution.Done(huge, Samples.RETENTION);
    assertThatThrownBy(() -> store.resolve(seen, Samples.newToken(), done))
        .isInstanceOf(RefusedCallException.class);
    assertThat(store.complete(claim.owner(), fits, Samples.RETENTION)).isTrue();
    assertThat(store.find(claim.key()).orElseThrow().outcome()).contains(fits);
  }

  @Test
  void aCallEndsWhenItsCallersTimeDoes() {
    try (FaultProxy line = FaultProxy.start(server.port());
        RedisStore slow =
            RedisStore.builder("redis://127.0.0.1:" + line.port())
                .timeout(Duration.ofSeconds(30))
                .build()) {
      line.mode(Mode.STALL);
      Claim claim = Samples.claim(Samples.newKey());
      long start = System.nanoTime();
      assertThatThrownBy(() -> within(300, () -> slow.claim(claim)))
          .isInstanceOf(NoAnswerException.class);
      assertThatThrownBy(() -> within(300, () -> slow.find(claim.key())))
          .isInstanceOf(NoAnswerException.class);
      assertThatThrownBy(() -> within(300, () -> slow.history(claim.key())))
          .isInstanceOf(NoAnswerException.class);
      assertThatThrownBy(
              () ->
                  within(300, () -> slow.claim(claim, Runnable::run).toCompletableFuture()).join())
          .hasCauseInstanceOf(NoAnswerException.class);
      assertThatThrownBy(() -> within(0, () -> slow.claim(claim)))
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("deadline passed");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
      line.mode(Mode.PASS);
    }
  }

  private static <T> T within(long millis, Supplier<T> call) {
    return CallDeadline.within(Duration.ofMillis(millis), System::nanoTime, call);
  }

  @Test
  void aServerThatIsAReplicaNowIsLeftAndAskedAgain() {
    try (RedisServer demoted = RedisServer.start(Aof.OFF);
        RedisStore other =
            RedisStore.builder(demoted.url()).timeout(Duration.ofSeconds(20)).build()) {
      Claim claim = Samples.claim(Samples.newKey());
      other.claim(claim);
      Set<String> before = Samples.clients(demoted);
      demoted.tell("REPLICAOF", "127.0.0.1", Integer.toString(server.port()));
      assertThatThrownBy(() -> other.release(claim.owner(), Release.UNKNOWN))
          .isInstanceOf(NoAnswerException.class);
      Samples.await(() -> Collections.disjoint(Samples.clients(demoted), before));
      demoted.tell("REPLICAOF", "NO", "ONE");
      Samples.await(() -> isGranted(other));
    }
  }

  private static boolean isGranted(RedisStore store) {
    try {
      return store.claim(Samples.claim(Samples.newKey())) instanceof Granted;
    } catch (NoAnswerException e) {
      return false;
    }
  }

  @Test
  void aServerWithoutItsReplicasOrDiskGivesNoAnswer() {
    try (RedisServer alone = RedisServer.start(Aof.OFF);
        RedisStore other = RedisStore.create(alone.url())) {
      Claim claim = Samples.claim(Samples.newKey());
      other.claim(claim);
      alone.tell("CONFIG", "SET", "min-replicas-to-write", "1");
      assertThatThrownBy(() -> other.claim(Samples.claim(Samples.newKey())))
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("NOREPLICAS");
      assertThatThrownBy(() -> other.complete(claim.owner(), Samples.DONE, Samples.RETENTION))
          .isInstanceOf(NoAnswerException.class);
      alone.tell("CONFIG", "SET", "min-replicas-to-write", "0");
      assertThat(other.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
    }
    for (String error :
        List.of("MISCONF x", "-NOREPLICAS x", "TRYAGAIN x", "BUSY x", "LOADING x")) {
      assertThat(RedisErrors.of(error, null)).isInstanceOf(NoAnswerException.class);
    }
    for (String error : List.of("NOPERM x", "BUSYGROUP x", "ERR unknown command", "OOM x")) {
      assertThat(RedisErrors.of(error, null)).isInstanceOf(RefusedCallException.class);
    }
  }

  @Test
  void leasesAndRetentionsForEverDoNotOverflow() {
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    Claim claim = Samples.claim(Samples.newKey(), forEver, TakeOver.ALWAYS);
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    assertThat(store.renew(Set.of(claim.owner()), forEver)).containsExactly(claim.owner());
    assertThat(store.find(claim.key()).orElseThrow().isLapsed()).isFalse();
    assertThat(store.complete(claim.owner(), Samples.DONE, forEver)).isTrue();
    assertThat(store.find(claim.key()).orElseThrow().outcome()).contains(Samples.DONE);
    assertThat(store.audit(Instant.MAX, 10)).isEmpty();
    try (RedisStore patient =
        RedisStore.builder(server.url()).timeout(forEver).startWithin(forEver).build()) {
      assertThat(patient.find(claim.key())).isPresent();
    }
  }

  @Test
  void aHundredThousandOwnersAreRenewedInSmallScripts() {
    Set<Owner> owners = new HashSet<>();
    for (int i = 0; i < 2500; i++) {
      Claim claim = Samples.claim(Samples.newKey());
      store.claim(claim, Runnable::run).toCompletableFuture().join();
      owners.add(claim.owner());
    }
    assertThat(store.renew(owners, Duration.ofMinutes(1))).isEqualTo(owners);
    Set<Owner> asked = new HashSet<>(owners);
    while (asked.size() < 100_000) {
      asked.add(Samples.claim(Samples.newKey()).owner());
    }
    server.tell("CONFIG", "SET", "slowlog-max-len", "200000");
    server.tell("CONFIG", "SET", "slowlog-log-slower-than", "0");
    server.tell("SLOWLOG", "RESET");

    assertThat(store.renew(asked, Duration.ofMinutes(1))).isEqualTo(owners);

    server.tell("CONFIG", "SET", "slowlog-log-slower-than", "-1");
    List<String> words = server.tell("SLOWLOG", "GET", "-1").lines().toList();
    server.tell("SLOWLOG", "RESET");
    List<Integer> sizes =
        IntStream.range(0, words.size())
            .filter(i -> words.get(i).equals("EVALSHA"))
            // The script, and the number of its keys: two for each owner.
            .mapToObj(i -> Integer.parseInt(words.get(i + 2)) / 2)
            .toList();
    assertThat(sizes).as("owners of each").allMatch(size -> size <= 128);
    assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(100_000);
  }
}
