// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Standing;
import io.retrysafe.testing.servers.RedisCluster;
import io.retrysafe.testing.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A cluster that moves the slot of running operations from server to server. */
final class RedisClusterMigrationTest {
  private static final int CALLERS = 8;

  private final Queue<OperationKey> settled = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isOver = new AtomicBoolean();

  @Test
  void callsFollowASlotThatMovesUnderLoad() throws Exception {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store =
            RedisStore.builder(cluster.url()).timeout(Duration.ofSeconds(10)).build()) {
      String index = EntryKeys.text(EntryKeys.of("retrysafe", Samples.newKey()).index());
      String slot = cluster.nodes().get(0).tell("CLUSTER", "KEYSLOT", index);
      ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        running.add(callers.submit(() -> settleUntilOver(store, index)));
      }
      for (int move = 0; move < 6; move++) {
        awaitMore();
        move(cluster, slot, () -> {});
        cluster.nodes().forEach(node -> node.tell("SCRIPT", "FLUSH"));
      }
      awaitMore();
      isOver.set(true);
      for (Future<?> each : running) {
        each.get(60, TimeUnit.SECONDS);
      }
      callers.shutdown();
      for (OperationKey key : settled) {
        assertThat(store.find(key).orElseThrow().standing()).isEqualTo(Standing.SETTLED);
      }
    }
  }

  @Test
  void aRedirectedCallIsAnsweredAtOnce() {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store =
            RedisStore.builder(cluster.url()).timeout(Duration.ofSeconds(10)).build()) {
      Claim claim = Samples.claim(Samples.newKey());
      store.claim(claim);
      String index = EntryKeys.text(EntryKeys.of("retrysafe", claim.key()).index());
      String slot = cluster.nodes().get(0).tell("CLUSTER", "KEYSLOT", index);
      // The server that still owns the slot has none of its keys any more: ASK.
      move(cluster, slot, () -> assertThat(store.find(claim.key())).isPresent());
      // The client does not know yet who owns the slot: MOVED.
      assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
    }
  }

  @Test
  void callsOfOneSlotShareAScript() {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store =
            RedisStore.builder(cluster.url()).timeout(Duration.ofSeconds(10)).build()) {
      Set<Owner> owners = new HashSet<>();
      List<CompletableFuture<ClaimResult>> claimed = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        Claim claim = Samples.claim(Samples.newKey());
        claimed.add(store.claim(claim, Runnable::run).toCompletableFuture());
        owners.add(claim.owner());
      }
      claimed.forEach(CompletableFuture::join);
      // Servers that do not know the script yet are sent it twice.
      store.renew(owners, Duration.ofMinutes(1));
      long before = scripts(cluster);
      assertThat(store.renew(owners, Duration.ofMinutes(1))).isEqualTo(owners);
      assertThat(scripts(cluster) - before).as("256 slots").isLessThan(300);
    }
  }

  private static long scripts(RedisCluster cluster) {
    return cluster.nodes().stream().mapToLong(Samples::scripts).sum();
  }

  /** Returns a key whose entry belongs to an index. */
  private static OperationKey newKey(String index) {
    while (true) {
      OperationKey key = Samples.newKey();
      if (EntryKeys.text(EntryKeys.of("retrysafe", key).index()).equals(index)) {
        return key;
      }
    }
  }

  private void awaitMore() {
    int before = settled.size();
    Samples.await(() -> settled.size() > before + 50);
  }

  private void settleUntilOver(RedisStore store, String index) {
    while (!isOver.get()) {
      Claim claim = Samples.claim(newKey(index));
      assertThat(patiently(() -> store.claim(claim)))
          .isInstanceOfSatisfying(
              Granted.class, granted -> assertThat(granted.attempt()).isEqualTo(1));
      assertThat(patiently(() -> store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)))
          .isTrue();
      settled.add(claim.key());
    }
  }

  /** Repeats a call that got no answer, as the engine does. */
  private static <T> T patiently(Supplier<T> call) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      try {
        return call.get();
      } catch (NoAnswerException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
      }
    }
  }

  /** Moves a slot to the next server, as {@code redis-cli --cluster reshard} does, key by key. */
  private static void move(RedisCluster cluster, String slot, Runnable beforeTheEnd) {
    List<RedisServer> nodes = cluster.nodes();
    List<String> ids = nodes.stream().map(node -> node.tell("CLUSTER", "MYID")).toList();
    int source = 0;
    while (!isOwner(nodes.get(source), slot)) {
      source++;
    }
    int target = (source + 1) % nodes.size();
    nodes.get(target).tell("CLUSTER", "SETSLOT", slot, "IMPORTING", ids.get(source));
    nodes.get(source).tell("CLUSTER", "SETSLOT", slot, "MIGRATING", ids.get(target));
    while (true) {
      List<String> keys =
          nodes.get(source).tell("CLUSTER", "GETKEYSINSLOT", slot, "20").lines().toList();
      if (keys.isEmpty()) {
        break;
      }
      List<String> command =
          new ArrayList<>(List.of("MIGRATE", "127.0.0.1", "" + nodes.get(target).port()));
      command.addAll(List.of("", "0", "5000", "KEYS"));
      command.addAll(keys);
      nodes.get(source).tell(command.toArray(String[]::new));
    }
    beforeTheEnd.run();
    for (int i : new int[] {target, source, (source + 2) % nodes.size()}) {
      nodes.get(i).tell("CLUSTER", "SETSLOT", slot, "NODE", ids.get(target));
    }
  }

  private static boolean isOwner(RedisServer node, String slot) {
    try {
      node.tell("CLUSTER", "COUNTKEYSINSLOT", slot);
      String own =
          node.tell("CLUSTER", "NODES")
              .lines()
              .filter(line -> line.contains("myself"))
              .findFirst()
              .orElseThrow();
      int wanted = Integer.parseInt(slot);
      return List.of(own.split(" ", -1)).stream()
          .skip(8)
          .filter(range -> range.matches("\\d+(-\\d+)?"))
          .map(range -> range.split("-", -1))
          .anyMatch(
              range ->
                  Integer.parseInt(range[0]) <= wanted
                      && wanted <= Integer.parseInt(range[range.length - 1]));
    } catch (IllegalStateException e) {
      return false;
    }
  }
}
