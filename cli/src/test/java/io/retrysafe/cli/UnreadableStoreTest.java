// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.store.url.OpenStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Entries that nobody can decode, such as a later release may have written. */
class UnreadableStoreTest {

  @Test
  void whatCannotBeReadIsAnErrorAndNotAWrongCommandLine(@TempDir Path folder) throws Exception {
    String url = "sqlite:" + folder.resolve("store.db");
    Scope scope = Scope.of("alice", "POST", "/payments");
    try (OpenStore store = OpenStore.create(url)) {
      Retrysafe engine = Retrysafe.create(store.store());
      for (String key : List.of("order-1", "order-2", "order-3")) {
        engine.run(
            OperationKey.of(scope, key),
            Fingerprint.ofText("x"),
            Codec.string(),
            operation -> "receipt");
      }
      engine.close();
    }
    try (Connection connection = DriverManager.getConnection("jdbc:" + url);
        Statement statement = connection.createStatement()) {
      assertThat(
              statement.executeUpdate(
                  "UPDATE retrysafe_entry SET outcome = x'63' WHERE key = 'order-1'"))
          .isEqualTo(1);
    }

    Ran list = Ran.command("operations", "list", "--store", url);
    assertThat(list.exit()).as(list.toString()).isZero();
    assertThat(list.out())
        .contains("order-2", "order-3")
        .containsPattern("unreadable +POST /payments order-1: outcome of format version 99");
    Ran json = Ran.command("operations", "list", "--json", "--store", url);
    assertThat(json.out()).contains("\"unreadable\":[{\"name\":", "\"key\":\"order-1\"");
    Ran stats = Ran.command("stats", "--store", url);
    assertThat(stats.exit()).as(stats.toString()).isZero();
    assertThat(stats.out()).containsPattern("completed +2").containsPattern("unreadable +1");
    for (List<String> command :
        List.of(
            List.of("operations", "show", "order-1"),
            List.of("operations", "explain", "order-1"))) {
      Ran ran = Ran.command(command, List.of("--store", url));
      assertThat(ran.exit()).as("%s %s", command, ran).isEqualTo(1);
      assertThat(ran.err()).contains("this release cannot read: outcome ").hasLineCount(1);
    }
    Ran wrong = Ran.command("operations", "list", "--cursor", "0x", "--store", url);
    assertThat(wrong.exit()).as(wrong.toString()).isEqualTo(2);
  }
}
