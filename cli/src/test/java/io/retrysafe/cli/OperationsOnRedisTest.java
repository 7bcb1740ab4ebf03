// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.store.url.OpenStore;
import io.retrysafe.testing.servers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Asked through an admin API, and straight in the store. */
class OperationsOnRedisTest extends OperationsCommandContract {
  private static RedisServer server;
  private static Replicas replicas;

  @BeforeAll
  static void start() throws Exception {
    server = RedisServer.start();
    replicas = new Replicas(open(), open());
  }

  private static OpenStore open() {
    return OpenStore.builder(server.url()).build();
  }

  @AfterAll
  static void stop() {
    replicas.close();
    server.close();
  }

  @Override
  Replicas replicas() {
    return replicas;
  }

  @Override
  List<List<String>> ways() {
    return List.of(viaAdmin(2, Replicas.OPERATOR), List.of("--store", server.url()));
  }
}
