// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.testing.servers.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.postgresql.ds.PGSimpleDataSource;

class OperationsOnPostgresTest extends OperationsContract {
  private static PostgresServer server;
  private static JdbcStore store;

  @BeforeAll
  static void open() {
    server = PostgresServer.start();
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    store = JdbcStore.builder(source).applySchema(true).build();
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
