// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import static java.lang.System.Logger.Level.INFO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import io.retrysafe.testing.servers.RedisCluster;
import io.retrysafe.testing.servers.RedisSentinel;
import io.retrysafe.testing.servers.RedisServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each address opens its store on a real server, and closes it. */
final class OpenStoreTest {
  private static final Duration SOON = Duration.ofMillis(600);

  @Test
  void memoryIsOpened() {
    works(OpenStore.builder("memory:"));
  }

  @Test
  void nearCopiesAreInFront(@TempDir Path folder) {
    String url = "sqlite:" + folder.resolve("store.db");
    // snippet:open
    try (OpenStore open = OpenStore.builder(url).near("memory:64MB").build();
        Retrysafe retrysafe = Retrysafe.create(open.store())) {
      System.getLogger("start").log(INFO, open.url() + ": " + open.profile().promise());
      // end
      assertThat(open.profile().name()).isEqualTo("layered SQLite");
      retrysafe.check(Policy.create());
    }
  }

  @Test
  void aFileIsMadeWithItsTablesAndKeepsWhatWasRecorded(@TempDir Path folder) {
    String url = "sqlite:" + folder.resolve("store.db");
    OperationKey key = works(OpenStore.builder(url));
    try (OpenStore open = OpenStore.create(url)) {
      assertThat(open.profile().name()).isEqualTo("SQLite");
      assertThat(Samples.isReplayed(open.store(), key)).isTrue();
    }
  }

  @Test
  void postgresNeedsItsTablesUnlessTheyAreAppliedAtTheStart() throws SQLException {
    try (PostgresServer server = PostgresServer.start()) {
      assertThatThrownBy(() -> OpenStore.create(server.url()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(
              "the store jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres could not")
          .hasMessageContaining("the table retrysafe_entry is missing");
      works(OpenStore.builder(server.url()).applySchema(true));
      try (Connection connection = DriverManager.getConnection(server.url());
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE ROLE app SUPERUSER LOGIN PASSWORD 'p/w@1'");
      }
      String place = "@127.0.0.1:" + server.port() + "/postgres";
      works(OpenStore.builder("jdbc:postgresql://app:p%2Fw%401" + place));
      assertThatThrownBy(() -> OpenStore.create("jdbc:postgresql://nobody7:s3cret" + place))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("role \"***\" does not exist")
          .hasNoCause();
    }
  }

  @Test
  void mariaDbIsOpened() {
    try (MariaDbServer server = MariaDbServer.start()) {
      works(OpenStore.builder(server.url()).applySchema(true));
      String place = "127.0.0.1:" + server.port() + "/test";
      works(OpenStore.builder("jdbc:mariadb://root@" + place));
      assertThatThrownBy(() -> OpenStore.create("jdbc:mariadb://root:s3cret@" + place))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Access denied")
          .hasMessageNotContaining("s3cret");
    }
  }

  @Test
  void aDriverThatIsNotIncludedIsAskedFor() {
    assertThatThrownBy(() -> OpenStore.create("jdbc:mysql://app:s3cret@127.0.0.1:1/pay"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("put com.mysql:mysql-connector-j on the class path")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void redisIsOpenedWithItsPassword() {
    try (RedisServer server = RedisServer.start()) {
      server.tell("ACL SETUSER app on >s3cret ~* &* +@all".split(" ", -1));
      String place = "@127.0.0.1:" + server.port();
      works(OpenStore.builder("redis://app:s3cret" + place));
      assertThatThrownBy(
              () -> OpenStore.builder("redis://app:wr0ng" + place).startWithin(SOON).build())
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("the store redis://127.0.0.1:" + server.port() + " could not")
          .hasMessageContaining("WRONGPASS")
          .hasMessageNotContaining("wr0ng");
    }
  }

  @Test
  void aClusterIsOpened() {
    try (RedisCluster cluster = RedisCluster.start()) {
      works(OpenStore.builder(cluster.url()));
    }
  }

  @Test
  void thePrimaryBehindASentinelIsOpened() {
    try (RedisServer primary = RedisServer.start();
        RedisSentinel sentinel = RedisSentinel.start(primary);
        OpenStore open = OpenStore.create(sentinel.url())) {
      assertThat(open.profile().promise()).startsWith("best effort");
      assertThat(open.url().toString()).isEqualTo(sentinel.url());
      Samples.settled(open.store());
      assertThat(primary.tell("DBSIZE")).isNotEqualTo("0");
    }
  }

  @Test
  void aServerThatIsNotThereIsSaidSoInTime() {
    for (String url :
        new String[] {"jdbc:postgresql://u:s3cret@127.0.0.1:1/db", "redis://127.0.0.1:1"}) {
      assertThatThrownBy(() -> OpenStore.builder(url).startWithin(SOON).timeout(SOON).build())
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("127.0.0.1:1")
          .hasMessageNotContaining("s3cret");
    }
  }

  /** Runs an operation in the store and returns its key. */
  private static OperationKey works(OpenStore.Builder builder) {
    try (OpenStore open = builder.build()) {
      OperationKey key = Samples.settled(open.store());
      assertThat(Samples.isReplayed(open.store(), key)).isTrue();
      return key;
    }
  }
}
