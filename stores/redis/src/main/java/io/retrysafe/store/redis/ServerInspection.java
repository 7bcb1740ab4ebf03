// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.store.Profile;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The settings of the servers, and what the store can promise with them. */
final class ServerInspection {
  static final int LARGEST_OUTCOME = 4 * 1024 * 1024;

  private static final String KEPT =
      "one live owner, fenced completion and one recorded answer while the data survives";
  private static final String BEST_EFFORT =
      "best effort: a failover may forget a claim or an answer, and the operation runs again";

  private final RedisCommands commands;
  private boolean hasReplicas;
  private boolean hasAof = true;

  private ServerInspection(RedisCommands commands, boolean hasSentinel) {
    this.commands = commands;
    this.hasReplicas = hasSentinel;
  }

  /**
   * Inspects all servers.
   *
   * @param hasSentinel whether Sentinel may promote a replica
   * @throws IllegalStateException if one of them evicts keys or is a replica
   */
  static ServerInspection of(RedisCommands commands, boolean hasSentinel) {
    ServerInspection inspection = new ServerInspection(commands, hasSentinel);
    commands.connection().nodes().values().forEach(inspection::inspect);
    return inspection;
  }

  private void inspect(StatefulConnection<byte[], byte[]> node) {
    String info =
        commands.await(
            commands.send(
                node, CommandType.INFO, new StatusOutput<>(ByteArrayCodec.INSTANCE), null));
    Map<String, String> facts =
        info.lines()
            .map(line -> line.split(":", 2))
            .filter(fact -> fact.length == 2)
            .collect(Collectors.toMap(fact -> fact[0], fact -> fact[1], (one, other) -> one));
    String policy = facts.getOrDefault("maxmemory_policy", "noeviction");
    if (!policy.equals("noeviction")) {
      throw new IllegalStateException(
          "Redis has maxmemory-policy "
              + policy
              + " and would evict operations when it is full: set it to noeviction");
    }
    if (facts.getOrDefault("role", "master").equals("slave")) {
      throw new IllegalStateException(
          "this Redis is a replica and rejects writes: configure the address of the primary or of"
              + " Sentinel");
    }
    hasReplicas |= !facts.getOrDefault("connected_slaves", "0").equals("0");
    hasAof &= facts.getOrDefault("aof_enabled", "1").equals("1");
  }

  Profile profile(Duration unsettledRetention, Duration timeout) {
    List<String> conditions = new ArrayList<>();
    conditions.add("`maxmemory-policy` is `noeviction` (checked at the start)");
    conditions.add(
        hasReplicas
            ? "replication is asynchronous: what a promoted replica has not got yet is lost"
            : "no failover: a replica that is promoted may not have got everything");
    conditions.add(
        hasAof
            ? "`appendonly` is `yes`; with `appendfsync always` a power cut takes nothing either"
            : "`appendonly` is off: a restart forgets what came after the last snapshot, or everything");
    conditions.add("the server's clock is not set back");
    return new Profile(name(), promise(), conditions, LARGEST_OUTCOME, unsettledRetention, timeout);
  }

  private String name() {
    String name = commands.connection().isCluster() ? "Redis Cluster" : "Redis";
    if (hasReplicas) {
      return name + " with failover";
    }
    return hasAof ? name : name + " without an append-only file";
  }

  private String promise() {
    if (hasReplicas) {
      return BEST_EFFORT;
    }
    return hasAof ? KEPT : KEPT + ", which is until the server stops";
  }

  /** Warns about settings that weaken the promise. */
  void warn(System.Logger log) {
    if (hasReplicas) {
      log.log(
          Level.WARNING,
          "Redis has replicas or is watched by Sentinel. Replication is asynchronous: a failover may"
              + " forget a claim or an answer, and the operation runs again. Where that matters,"
              + " keep the record in a database and Redis in front of it");
    }
    if (!hasAof) {
      log.log(
          Level.WARNING,
          "Redis has no append-only file: a restart forgets which operations ran, and retries run"
              + " them again. Set appendonly yes");
    }
  }
}
