// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class OperationsOnSqliteTest extends OperationsContract {
  private static JdbcStore store;

  @BeforeAll
  static void open(@TempDir Path folder) {
    SQLiteDataSource source = new SQLiteDataSource();
    source.setUrl("jdbc:sqlite:" + folder.resolve("store.db"));
    store = JdbcStore.builder(source).applySchema(true).build();
  }

  @AfterAll
  static void close() {
    store.close();
  }

  @Override
  Store store() {
    return store;
  }
}
