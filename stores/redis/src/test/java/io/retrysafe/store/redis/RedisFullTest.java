// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.History.Event;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Resolvable.Word;
import io.retrysafe.store.Standing;
import io.retrysafe.store.TakeOver;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A Redis that has no memory left: nothing new begins, and whoever runs keeps what is his. */
final class RedisFullTest {
  private static RedisServer server;
  private static RedisStore store;

  @BeforeAll
  static void start() {
    server = RedisServer.start(Aof.OFF, Map.of("maxmemory", "16mb"));
    store = RedisStore.builder(server.url()).timeout(Duration.ofSeconds(20)).build();
  }

  @AfterAll
  static void stop() {
    store.close();
    server.close();
  }

  /** Fills the server with smaller and smaller values, until not even the smallest fits. */
  private static void fill() {
    for (int size = 1 << 20; size >= 1; size >>= 2) {
      String value = "x".repeat(size);
      for (int i = 0; fits(size + ":" + i, value); i++) {
        assertThat(i).isLessThan(10_000);
      }
    }
    // Not even when the buffers of those who filled it are gone.
    long used =
        server
            .tell("INFO", "memory")
            .lines()
            .filter(line -> line.startsWith("used_memory:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .sum();
    server.tell("CONFIG", "SET", "maxmemory", Long.toString(used - 200_000));
  }

  private static boolean fits(String name, String value) {
    try {
      server.tell("SET", "filling:" + name, value);
      return true;
    } catch (IllegalStateException e) {
      assertThat(e).rootCause().hasMessageContaining("OOM");
      return false;
    }
  }

  private static void makeRoom() {
    server.tell("CONFIG", "SET", "maxmemory", "16mb");
    server.tell(
        "EVAL",
        "for _, key in ipairs(redis.call('KEYS', 'filling:*')) do redis.call('DEL', key) end",
        "0");
  }

  private static Claim claimed(Duration lease) {
    Claim claim = Samples.claim(Samples.newKey(), lease, TakeOver.NONE);
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    return claim;
  }

  @Test
  void leasesOfLiveOwnersAreRenewedAndWhatRunsIsSettledAndReleased() throws Exception {
    makeRoom();
    Duration lease = Duration.ofSeconds(3);
    Set<Owner> owners = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      owners.add(claimed(lease).owner());
    }
    Claim unknown = claimed(lease);
    Claim free = claimed(lease);
    Claim resumable = claimed(lease);
    store.step(resumable.owner(), "s", Bytes.utf8("1"));
    Claim undone = Samples.claim(Samples.newKey(), Duration.ofMillis(1), TakeOver.NONE);
    store.claim(undone);
    store.step(undone.owner(), "s", Bytes.utf8("1"));
    fill();
    assertThatThrownBy(() -> store.claim(Samples.claim(Samples.newKey())))
        .isInstanceOf(RefusedCallException.class)
        .hasMessageContaining("Redis is full");

    long end = System.nanoTime() + lease.multipliedBy(2).toNanos();
    while (System.nanoTime() < end) {
      assertThat(store.renew(owners, lease)).isEqualTo(owners);
      TimeUnit.MILLISECONDS.sleep(300);
    }
    // Some of them: on a busy machine, looking at all would take as long as a lease.
    assertThat(owners.stream().limit(20))
        .noneMatch(owner -> store.find(owner.key()).orElseThrow().isLapsed());

    assertThat(store.release(unknown.owner(), LeaveAs.UNKNOWN)).isTrue();
    assertThat(store.find(unknown.key()).orElseThrow().standing()).isEqualTo(Standing.UNKNOWN);
    assertThat(store.release(resumable.owner(), LeaveAs.FREE)).isTrue();
    assertThat(store.find(resumable.key()).orElseThrow().standing()).isEqualTo(Standing.RESUMABLE);
    assertThat(store.release(free.owner(), LeaveAs.FREE)).isTrue();
    assertThat(store.find(free.key())).isEmpty();
    Entry lapsed = store.find(undone.key()).orElseThrow();
    assertThat(store.resolve(lapsed, Samples.newToken(), new Word.NotDone()))
        .isEqualTo(Resolved.APPLIED);
    assertThat(store.find(undone.key()).orElseThrow().standing()).isEqualTo(Standing.RESUMABLE);

    Owner settled = owners.iterator().next();
    assertThat(store.complete(settled, Samples.DONE, Samples.RETENTION)).isTrue();
    assertThat(store.claim(Samples.claim(settled.key()))).isInstanceOf(Held.class);
  }

  /** A claim whose answer was lost is asked for again with the same token. */
  @Test
  void whoAsksAgainForAClaimThatItHasIsNotRefused() {
    makeRoom();
    Claim claim = claimed(Duration.ofSeconds(30));
    fill();
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    assertThatThrownBy(() -> store.claim(Samples.claim(Samples.newKey())))
        .isInstanceOf(RefusedCallException.class);
  }

  @Test
  void anOperatorsActionIsStillRecorded() {
    makeRoom();
    OperationKey key = claimed(Duration.ofSeconds(30)).key();
    Instant now = Instant.parse("2026-01-02T03:04:05Z");
    Event action = new Event(key, History.RESOLVED, "gw-1", now, now, 1, "Done by alice");
    fill();
    // The history of the entry is refused, the audit log is not.
    assertThatThrownBy(() -> store.append(List.of(action)))
        .isInstanceOf(RefusedCallException.class);
    assertThat(store.audit(Instant.MAX, 10)).containsExactly(action);
  }

  @Test
  void anEntryThatCannotBeRenewedLetsNoOtherLeaseLapse() {
    makeRoom();
    Claim foreign = claimed(Duration.ofSeconds(30));
    Claim other = claimed(Duration.ofSeconds(30));
    server.tell("DEL", Samples.entry(foreign.key()));
    server.tell("SET", Samples.entry(foreign.key()), "mine");
    long before = store.find(other.key()).orElseThrow().times().leaseUntil().toEpochMilli();
    // So many that the two are renewed in different scripts, one after the other.
    Set<Owner> owners = new LinkedHashSet<>(Set.of(foreign.owner()));
    while (owners.size() < 2000) {
      owners.add(Samples.claim(Samples.newKey()).owner());
    }
    owners.add(other.owner());
    assertThatThrownBy(() -> store.renew(owners, Duration.ofMinutes(10)))
        .isInstanceOf(RefusedCallException.class);
    assertThat(store.find(other.key()).orElseThrow().times().leaseUntil().toEpochMilli())
        .isGreaterThan(before + 60_000);
  }
}
