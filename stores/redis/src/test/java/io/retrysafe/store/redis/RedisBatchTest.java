// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Phase;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.State;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several entries in one script: each is a step of its own, and nobody else's. */
final class RedisBatchTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final RedisServer server = RedisServer.start(Aof.OFF);
  private final RedisStore store = RedisStore.create(server.url());
  private final RedisConnection link =
      RedisClients.open(server.url(), TIMEOUT, DisconnectedBehavior.DEFAULT);
  private final Batch.Transport claims =
      new ScriptTransport(
          Script.CLAIM, link, RedisCommands.LARGEST_SHARED, Micros.of(Duration.ofDays(30)));
  private final Batch.Transport completions =
      new ScriptTransport(Script.COMPLETE, link, EntryKeys.ascii("PUBLISH"));
  private final Map<ScriptCall, OperationKey> keyOf = new ConcurrentHashMap<>();
  private final Queue<ScriptCall> large = new ConcurrentLinkedQueue<>();
  private final AtomicInteger ended = new AtomicInteger();

  @AfterEach
  void stop() {
    link.close();
    store.close();
    server.close();
  }

  private List<ScriptCall> send(Batch.Transport wire, ScriptCall... calls) {
    new Batch(wire, List.of(calls), large::add, ended::incrementAndGet).send(false);
    return List.of(calls);
  }

  private ScriptCall call(OperationKey key, byte[]... arguments) {
    EntryKeys keys = EntryKeys.of("retrysafe", key);
    ScriptCall call = new ScriptCall(TIMEOUT, new byte[][] {keys.entry(), keys.index()}, arguments);
    keyOf.put(call, key);
    return call;
  }

  private ScriptCall call(Claim claim) {
    return call(
        claim.key(),
        EntryFormat.token(claim.token()),
        EntryFormat.terms(claim),
        EntryFormat.identity(claim));
  }

  private ScriptCall complete(Owner owner, Outcome outcome) {
    return call(
        owner.key(),
        EntryFormat.token(owner.token()),
        EntryFormat.phase(outcome),
        OutcomeFormat.write(outcome),
        Micros.of(Samples.RETENTION));
  }

  private ClaimResult claimed(ScriptCall call) {
    return EntryFormat.claimed(Objects.requireNonNull(keyOf.get(call)), call.await());
  }

  private static String index(OperationKey key) {
    return EntryKeys.text(EntryKeys.of("retrysafe", key).index());
  }

  /** Returns keys that share no index. */
  private static List<OperationKey> apart(int count) {
    Map<String, OperationKey> byIndex = new LinkedHashMap<>();
    while (byIndex.size() < count) {
      OperationKey key = Samples.newKey();
      byIndex.put(index(key), key);
    }
    return List.copyOf(byIndex.values());
  }

  @Test
  void somethingElseUnderOneKeyIsOnlyItsOwnCallersTrouble() {
    List<OperationKey> keys = apart(4);
    Claim one = Samples.claim(keys.get(0));
    Claim foreign = Samples.claim(keys.get(1));
    Claim foreignIndex = Samples.claim(keys.get(2));
    Claim other = Samples.claim(keys.get(3));
    server.tell("SET", Samples.entry(foreign.key()), "mine");
    server.tell("SET", index(foreignIndex.key()), "mine");

    List<ScriptCall> calls =
        send(claims, call(one), call(foreign), call(foreignIndex), call(other));

    assertThat(claimed(calls.get(0))).isInstanceOf(Granted.class);
    for (ScriptCall refused : calls.subList(1, 3)) {
      assertThatThrownBy(refused::await)
          .isInstanceOf(RefusedCallException.class)
          .hasMessageContaining("the key holds a value that is not an entry");
    }
    assertThat(claimed(calls.get(3))).isInstanceOf(Granted.class);
    assertThat(server.tell("EXISTS", Samples.entry(foreignIndex.key()))).isEqualTo("0");
    assertThat(ended).hasValue(1);

    server.tell("SET", index(one.key()), "mine");
    List<ScriptCall> settled =
        send(
            completions,
            complete(one.owner(), Samples.DONE),
            complete(other.owner(), Samples.DONE));
    assertThatThrownBy(settled.get(0)::await).isInstanceOf(RefusedCallException.class);
    assertThat(settled.get(1).await()).isEqualTo(1L);
    assertThat(store.find(one.key()).orElseThrow().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void anEntryThatCannotBeReadIsOnlyItsOwnCallersTrouble() {
    Claim garbled = Samples.claim(Samples.newKey());
    Claim other = Samples.claim(Samples.newKey());
    server.tell("HSET", Samples.entry(garbled.key()), "entry", "short");
    List<ScriptCall> calls = send(claims, call(garbled), call(other));
    assertThatThrownBy(calls.get(0)::await).isInstanceOf(RefusedCallException.class);
    assertThat(claimed(calls.get(1))).isInstanceOf(Granted.class);
  }

  @Test
  void callsForOneKeyAreTakenOneAfterTheOther() {
    OperationKey key = Samples.newKey();
    Claim first = Samples.claim(key);
    Claim second = Samples.claim(key);

    List<ScriptCall> calls = send(claims, call(first), call(second), call(first));

    Granted granted = (Granted) claimed(calls.get(0));
    assertThat(claimed(calls.get(1)))
        .isInstanceOfSatisfying(
            Held.class, held -> assertThat(held.entry().token()).isEqualTo(first.token()));
    assertThat(claimed(calls.get(2))).isEqualTo(granted);

    Outcome other = Outcome.of(Bytes.utf8("other"));
    List<ScriptCall> settled =
        send(
            completions,
            complete(second.owner(), other),
            complete(first.owner(), Samples.DONE),
            complete(first.owner(), other));
    assertThat(settled.stream().map(ScriptCall::await)).containsExactly(0L, 1L, 1L);
    assertThat(store.find(key).orElseThrow().outcome()).contains(Samples.DONE);
  }

  @Test
  void aFullServerRefusesEveryClaimOfABatchAndSettlesEveryCompletion() {
    List<Claim> running = Stream.generate(() -> Samples.claim(Samples.newKey())).limit(3).toList();
    running.forEach(store::claim);
    Claim settled = Samples.claim(Samples.newKey());
    store.claim(settled);
    store.complete(settled.owner(), Samples.DONE, Samples.RETENTION);
    Claim freed = Samples.claim(Samples.newKey());
    store.claim(freed);
    store.release(freed.owner(), Release.FREE);
    List<OperationKey> absent = List.of(Samples.newKey(), Samples.newKey(), freed.key());
    server.tell("CONFIG", "SET", "maxmemory", "1");

    List<ScriptCall> calls =
        send(
            claims,
            call(Samples.claim(absent.get(0))),
            call(Samples.claim(settled.key())),
            call(Samples.claim(absent.get(1))),
            call(Samples.claim(absent.get(2))));

    for (int refused : new int[] {0, 2, 3}) {
      assertThatThrownBy(calls.get(refused)::await)
          .isInstanceOf(RefusedCallException.class)
          .hasMessageContaining("Redis is full");
    }
    assertThat(claimed(calls.get(1))).isInstanceOf(Held.class);
    absent.forEach(key -> assertThat(store.find(key)).isEmpty());

    List<ScriptCall> behind =
        send(claims, call(running.get(0)), call(Samples.claim(absent.get(0))));
    assertThat(claimed(behind.get(0)))
        .as("the owner repeats its claim")
        .isInstanceOf(Granted.class);
    assertThatThrownBy(behind.get(1)::await).hasMessageContaining("Redis is full");

    Outcome large = Outcome.of(Bytes.wrap(new byte[100_000]));
    List<ScriptCall> completed =
        send(
            completions,
            running.stream()
                .map(claim -> complete(claim.owner(), large))
                .toArray(ScriptCall[]::new));
    assertThat(completed.stream().map(ScriptCall::await)).containsOnly(1L);
    for (Claim claim : running) {
      assertThat(store.find(claim.key()).orElseThrow().outcome()).contains(large);
    }
    assertThat(
            store
                .browse(Query.of(Set.of(State.IN_PROGRESS, State.UNKNOWN, State.RESUMABLE), 10))
                .entries())
        .isEmpty();
  }

  @Test
  void aScriptThatWasFlushedIsSentAgainWithTheWholeBatch() {
    Claim one = Samples.claim(Samples.newKey());
    Claim other = Samples.claim(Samples.newKey());
    store.claim(Samples.claim(Samples.newKey()));
    server.tell("SCRIPT", "FLUSH");
    List<ScriptCall> calls = send(claims, call(one), call(other));
    calls.forEach(call -> assertThat(claimed(call)).isInstanceOf(Granted.class));
  }

  private List<OperationKey> settled(int count, Outcome outcome) {
    List<OperationKey> keys = Stream.generate(Samples::newKey).limit(count).toList();
    for (OperationKey key : keys) {
      Claim claim = Samples.claim(key);
      store.claim(claim);
      store.complete(claim.owner(), outcome, Samples.RETENTION);
    }
    return keys;
  }

  @Test
  void answersAreSpreadOverSeveralScripts() {
    Outcome outcome = Outcome.of(Bytes.wrap(new byte[60_000]));
    List<OperationKey> keys = settled(40, outcome);
    OperationKey absent = Samples.newKey();
    long before = Samples.scripts(server);

    List<ScriptCall> calls = new ArrayList<>();
    keys.forEach(key -> calls.add(call(Samples.claim(key))));
    calls.add(call(Samples.claim(absent)));
    send(claims, calls.toArray(ScriptCall[]::new));

    for (ScriptCall call : calls.subList(0, 40)) {
      assertThat(claimed(call))
          .isInstanceOfSatisfying(
              Held.class, held -> assertThat(held.entry().outcome()).contains(outcome));
    }
    assertThat(claimed(calls.get(40))).isInstanceOf(Granted.class);
    assertThat(Samples.scripts(server) - before).as("1 MiB and one more each").isEqualTo(3);
    Samples.await(() -> ended.get() == 1);
  }

  @Test
  void largeAnswersAreOnlyAnnouncedWhereOthersShareTheReply() {
    List<OperationKey> keys = settled(3, Outcome.of(Bytes.wrap(new byte[700_000])));
    ScriptCall first = call(Samples.claim(keys.get(0)));
    ScriptCall absent = call(Samples.claim(Samples.newKey()));
    ScriptCall second = call(Samples.claim(keys.get(1)));
    send(claims, first, absent, second);

    assertThat(claimed(absent)).isInstanceOf(Granted.class);
    Samples.await(() -> large.size() == 2);
    assertThat(large).containsExactly(first, second);
    assertThat(first).isNotDone();
  }

  @Test
  void largeAnswersAreReadOneAtATime() {
    Outcome large = Outcome.of(Bytes.wrap(new byte[700_000]));
    List<OperationKey> keys = settled(12, large);
    long before = Samples.scripts(server);
    List<CompletableFuture<ClaimResult>> answers = new ArrayList<>();
    for (OperationKey key : keys) {
      answers.add(store.claim(Samples.claim(key), Runnable::run).toCompletableFuture());
    }
    for (CompletableFuture<ClaimResult> answer : answers) {
      assertThat(answer.join())
          .isInstanceOfSatisfying(
              Held.class, held -> assertThat(held.entry().outcome()).contains(large));
    }
    assertThat(Samples.scripts(server) - before)
        .as("each by itself, and the announcements")
        .isGreaterThan(12);
    assertThat(store.find(keys.get(0)).orElseThrow().outcome()).contains(large);
  }

  @Test
  void manyCallersShareScripts() throws Exception {
    int each = 200;
    long before = Samples.scripts(server);
    ExecutorService callers = Executors.newFixedThreadPool(32);
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      running.add(callers.submit(() -> settle(each)));
    }
    for (Future<?> one : running) {
      one.get(60, TimeUnit.SECONDS);
    }
    callers.shutdown();
    assertThat(Samples.scripts(server) - before).isLessThan(32L * 2 * each);
  }

  private void settle(int count) {
    for (int i = 0; i < count; i++) {
      Claim claim = Samples.claim(Samples.newKey());
      assertThat(store.claim(claim)).isInstanceOf(Granted.class);
      assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
    }
  }

  @Test
  void aReplyThatDoesNotMatchItsCallsIsRejected() {
    List<ScriptCall> calls =
        List.of(call(Samples.claim(Samples.newKey())), call(Samples.claim(Samples.newKey())));
    byte[] one = calls.get(0).tag();
    byte[] other = calls.get(1).tag();
    List<Object> announced = List.of("large".getBytes(UTF_8), 70_000L);
    List<Object> held = List.of(0L, new byte[60], new byte[0], 1L);
    List<Object> granted = List.of(1L, 2L, 3L, 0L, "s".getBytes(UTF_8), new byte[1]);
    for (List<Object> right :
        List.of(
            List.<Object>of(one, 7L, other, 0L),
            List.<Object>of(one, held, other, granted),
            List.<Object>of(one, announced, other, List.of()))) {
      assertThat(claims.answers(calls, right)).isEqualTo(List.of(right.get(1), right.get(3)));
    }
    for (List<Object> wrong :
        List.of(
            List.<Object>of(one, 7L, other),
            List.<Object>of(one, 7L, other, 0L, 1L),
            List.<Object>of(other, 7L, one, 0L),
            List.<Object>of(one, 7L, 0L, other),
            List.<Object>of(one, -1L, other, 0L),
            List.<Object>of(one, one, other, 0L),
            List.<Object>of(one, held.subList(0, 3), other, 0L),
            List.<Object>of(one, granted.subList(0, 5), other, 0L),
            List.<Object>of(one, List.of(0L, 2L, 3L, 0L), other, 0L))) {
      assertThatThrownBy(() -> claims.answers(calls, wrong))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
