// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

class OutageSoakOnPostgresTest extends OutageSoak {
  private final PostgresServer server = PostgresServer.start();
  private final ThrowingSource source = new ThrowingSource(source());
  private final List<JdbcStore> opened = new ArrayList<>();

  private PGSimpleDataSource source() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    return source;
  }

  @Override
  Store open() {
    JdbcStore store =
        JdbcStore.builder(source).timeout(OutageLoad.STORE_TIMEOUT).applySchema(true).build();
    opened.add(store);
    return store;
  }

  @Override
  List<Fault> faults() {
    return List.of(
        new Fault("killed", server::kill, server::restart, true),
        new Fault("stalled", server::stall, server::resume, true),
        new Fault("read-only", () -> readOnly("on"), () -> readOnly("off"), true),
        new Fault("full", this::fill, this::empty, true),
        new Fault("an Error in each thread", source::throwInEachThread, source::stop, false));
  }

  private void tell(String... commands) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement()) {
      for (String command : commands) {
        statement.execute(command);
      }
    }
  }

  /** As after a failover that left this server behind. */
  private void readOnly(String value) throws SQLException {
    tell("ALTER SYSTEM SET default_transaction_read_only = " + value, "SELECT pg_reload_conf()");
  }

  /** Answers every write as a full disk does. */
  private void fill() throws SQLException {
    tell(
        "CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE"
            + " EXCEPTION 'could not extend file: No space left on device' USING ERRCODE ="
            + " '53100'; END $$",
        "CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON retrysafe_entry EXECUTE FUNCTION"
            + " full_disk()");
  }

  private void empty() throws SQLException {
    tell("DROP TRIGGER full_disk ON retrysafe_entry");
  }

  @Override
  void closeServers() {
    opened.forEach(JdbcStore::close);
    server.close();
  }
}
