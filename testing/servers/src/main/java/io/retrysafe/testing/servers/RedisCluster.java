// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import io.retrysafe.testing.servers.RedisServer.Aof;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A Redis Cluster of three primaries without replicas. */
public final class RedisCluster implements AutoCloseable {
  private static final int NODES = 3;
  private static final int SLOTS = 16384;

  private final List<RedisServer> nodes = new ArrayList<>();

  private RedisCluster() {}

  /** Starts three servers and joins them. */
  public static RedisCluster start() {
    RedisCluster cluster = new RedisCluster();
    for (int i = 0; i < NODES; i++) {
      cluster.nodes.add(
          RedisServer.start(
              Aof.EVERYSEC,
              Map.of(
                  "cluster-enabled",
                  "yes",
                  "cluster-config-file",
                  "nodes.conf",
                  // Its usual port is 10,000 higher, which is none for high ports.
                  "cluster-port",
                  Integer.toString(ServerProcess.freePort()))));
    }
    cluster.join();
    return cluster;
  }

  private void join() {
    RedisServer first = nodes.get(0);
    for (int i = 0; i < NODES; i++) {
      nodes
          .get(i)
          .tell(
              "CLUSTER",
              "ADDSLOTSRANGE",
              Integer.toString(i * SLOTS / NODES),
              Integer.toString((i + 1) * SLOTS / NODES - 1));
      nodes.get(i).tell("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
    }
    for (RedisServer node : nodes.subList(1, NODES)) {
      node.tell("CLUSTER", "MEET", "127.0.0.1", Integer.toString(first.port()), first.busPort());
    }
    ServerProcess.await(() -> nodes.stream().allMatch(RedisCluster::isWhole));
  }

  private static boolean isWhole(RedisServer node) {
    String info = node.tell("CLUSTER", "INFO");
    return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + NODES);
  }

  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns the addresses of all nodes in one. */
  public String url() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.port())
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }
}
