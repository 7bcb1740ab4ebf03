// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.History;
import io.retrysafe.store.History.Event;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the contract does not say about histories in Redis: their cost, and their corners. */
final class RedisHistoryTest {
  private static final Instant START = Instant.parse("2026-01-02T03:04:05Z");

  private static RedisServer server;
  private static RedisStore store;

  @BeforeAll
  static void start() {
    server = RedisServer.start(Aof.OFF);
    store = RedisStore.create(server.url());
  }

  @AfterAll
  static void stop() {
    store.close();
    server.close();
  }

  private static OperationKey running() {
    Claim claim = Samples.claim(Samples.newKey());
    store.claim(claim);
    return claim.key();
  }

  private static Event event(OperationKey key, String kind, int second, String detail) {
    Instant at = START.plusSeconds(second);
    return new Event(key, kind, "gw-1", at, at, 1, detail);
  }

  @Test
  void aScriptTakesTheEventsOfManyEntries() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      OperationKey key = running();
      events.add(event(key, "claimed", 0, "attempt 1"));
      events.add(event(key, "completed", 1, "attempt 1"));
    }
    store.append(List.of(events.get(0)));
    long before = Samples.scripts(server);

    store.append(events.subList(1, events.size()));

    assertThat(Samples.scripts(server) - before).isEqualTo(2);
    for (int i = 0; i < events.size(); i += 2) {
      assertThat(store.history(events.get(i).key()))
          .containsExactly(events.get(i), events.get(i + 1));
    }
  }

  @Test
  void whatIsSentAgainIsThereOnce() {
    OperationKey key = running();
    List<Event> pair =
        List.of(event(key, "claimed", 0, "attempt 1"), event(key, "completed", 1, "attempt 1"));

    store.append(pair);
    store.append(pair);

    assertThat(store.history(key)).isEqualTo(pair);
  }

  @Test
  void somethingElseUnderAKeyIsRefusedAndSpoilsNobodyElsesEvents() {
    OperationKey one = running();
    OperationKey foreign = Samples.newKey();
    OperationKey other = running();
    server.tell("SET", Samples.entry(foreign), "mine");
    List<Event> events =
        List.of(
            event(one, "claimed", 0, ""),
            event(foreign, "claimed", 0, ""),
            event(other, "claimed", 0, ""));

    assertThatThrownBy(() -> store.append(events)).isInstanceOf(RefusedCallException.class);

    assertThat(store.history(one)).containsExactly(events.get(0));
    assertThat(store.history(other)).containsExactly(events.get(2));
    assertThat(server.tell("GET", Samples.entry(foreign))).isEqualTo("mine");
  }

  @Test
  void textsOfAnyLengthComeBack() {
    OperationKey key = running();
    List<Event> events = new ArrayList<>();
    for (int length : new int[] {0, 31, 32, 255, 256, 65_535, 65_536, 100_000}) {
      events.add(event(key, "step", length, "d".repeat(length)));
    }
    events.forEach(event -> store.append(List.of(event)));

    assertThat(store.history(key)).isEqualTo(events);
  }

  @Test
  void theOldestGoFirstExceptAnOperatorsActions() {
    OperationKey key = running();
    Event resolved = event(key, History.RESOLVED, 0, "Done by alice");
    store.append(List.of(resolved));
    for (int i = 1; i <= 150; i++) {
      store.append(List.of(event(key, "step", i, "")));
    }

    List<Event> kept = store.history(key);

    assertThat(kept).hasSize(100).startsWith(resolved).endsWith(event(key, "step", 150, ""));
    assertThat(kept.get(1)).isEqualTo(event(key, "step", 52, ""));
  }
}
