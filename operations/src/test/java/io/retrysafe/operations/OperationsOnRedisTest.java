// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.Store;
import io.retrysafe.store.redis.RedisStore;
import io.retrysafe.testing.servers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class OperationsOnRedisTest extends OperationsContract {
  private static RedisServer server;
  private static RedisStore store;

  @BeforeAll
  static void open() {
    server = RedisServer.start();
    store = RedisStore.create(server.url());
  }

  @AfterAll
  static void close() {
    store.close();
    server.close();
  }

  @Override
  Store store() {
    return store;
  }
}
