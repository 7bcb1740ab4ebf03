// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.retrysafe.store.Profile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the servers say of themselves, and what the store can promise on such. */
final class Inspection {
  static final int LARGEST_OUTCOME = 4 * 1024 * 1024;

  private static final String KEPT =
      "one live owner, fenced completion and one recorded answer while the data survives";
  private static final String BEST_EFFORT =
      "best effort: a failover may forget a claim or an answer, and the operation runs again";

  private final Calls calls;
  private boolean hasReplicas;
  private boolean hasAof = true;

  private Inspection(Calls calls, boolean isWatched) {
    this.calls = calls;
    this.hasReplicas = isWatched;
  }

  /**
   * Looks at all servers.
   *
   * @param isWatched whether somebody stands by to promote replicas
   * @throws IllegalStateException if one of them evicts keys or is a replica
   */
  static Inspection of(Calls calls, boolean isWatched) {
    Inspection inspection = new Inspection(calls, isWatched);
    calls.link().nodes().values().forEach(inspection::look);
    return inspection;
  }

  private void look(RedisClusterAsyncCommands<byte[], byte[]> node) {
    Map<String, String> facts = new HashMap<>();
    for (String section : List.of("memory", "persistence", "replication")) {
      calls
          .await(node.info(section))
          .lines()
          .filter(line -> line.contains(":"))
          .forEach(
              line -> {
                int colon = line.indexOf(':');
                facts.put(line.substring(0, colon), line.substring(colon + 1));
              });
    }
    String policy = facts.getOrDefault("maxmemory_policy", "noeviction");
    if (!policy.equals("noeviction")) {
      throw new IllegalStateException(
          "Redis has maxmemory-policy "
              + policy
              + " and would forget operations when it is full: set it to noeviction");
    }
    if (facts.getOrDefault("role", "master").equals("slave")) {
      throw new IllegalStateException(
          "this Redis is a replica and takes no writes: give the primary's address, or Sentinel's");
    }
    hasReplicas |= !facts.getOrDefault("connected_slaves", "0").equals("0");
    hasAof &= facts.getOrDefault("aof_enabled", "1").equals("1");
  }

  Profile profile(Duration unsettledRetention, Duration timeout) {
    List<String> conditions = new ArrayList<>();
    conditions.add("maxmemory-policy noeviction (checked at the start)");
    if (hasReplicas) {
      conditions.add(
          "replication is asynchronous: what a promoted replica has not got yet is lost");
    } else {
      conditions.add("no failover: a replica that is promoted may not have got everything");
    }
    conditions.add(
        hasAof
            ? "appendonly yes; with appendfsync always also what a power cut would take"
            : "appendonly is off: a restart forgets what came after the last snapshot, or everything");
    conditions.add("the server's clock is not set back");
    return new Profile(
        calls.link().isCluster() ? "Redis Cluster" : "Redis",
        promise(),
        conditions,
        LARGEST_OUTCOME,
        unsettledRetention,
        timeout);
  }

  private String promise() {
    if (hasReplicas) {
      return BEST_EFFORT;
    }
    return hasAof ? KEPT : KEPT + "; without an append-only file that is until the server stops";
  }
}
