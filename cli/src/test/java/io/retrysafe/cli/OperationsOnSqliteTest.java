// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.store.url.OpenStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A file belongs to one process, which is asked through its admin API. */
class OperationsOnSqliteTest extends OperationsCommandContract {
  private static Replicas replicas;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    OpenStore store = OpenStore.create("sqlite:" + folder.resolve("store.db"));
    replicas = new Replicas(store, store);
  }

  @AfterAll
  static void stop() {
    replicas.close();
  }

  @Override
  Replicas replicas() {
    return replicas;
  }

  @Override
  List<List<String>> ways() {
    return List.of(viaAdmin(1, Replicas.OPERATOR), viaAdmin(2, Replicas.OPERATOR));
  }
}
