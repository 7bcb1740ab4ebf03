// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.store.Store;
import io.retrysafe.store.redis.RedisStore;
import io.retrysafe.testing.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;

class OutageSoakOnRedisTest extends OutageSoak {
  private final RedisServer server = RedisServer.start();
  private final List<RedisStore> opened = new ArrayList<>();

  @Override
  Store open() {
    RedisStore store = RedisStore.create(server.url());
    opened.add(store);
    return store;
  }

  @Override
  List<Fault> faults() {
    return List.of(
        new Fault("killed", server::kill, server::restart, true),
        new Fault("stalled", server::stall, server::resume, true),
        new Fault(
            "read-only",
            () -> server.tell("REPLICAOF", "127.0.0.1", "1"),
            () -> server.tell("REPLICAOF", "NO", "ONE"),
            true),
        new Fault(
            "full",
            () -> server.tell("CONFIG", "SET", "maxmemory", "1"),
            () -> server.tell("CONFIG", "SET", "maxmemory", "0"),
            true));
  }

  @Override
  void closeServers() {
    opened.forEach(RedisStore::close);
    server.close();
  }
}
