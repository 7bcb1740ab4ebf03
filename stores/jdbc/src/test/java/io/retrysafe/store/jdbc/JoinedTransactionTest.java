// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Fingerprint;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.Retrysafe;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.State;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.testing.servers.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Effect and completion in one transaction. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class JoinedTransactionTest {
  private final PostgresServer server = PostgresServer.start();
  private final DataSource source = Databases.postgres(server);
  private final JdbcStore store = JdbcStore.builder(source).applySchema(true).build();
  private final Retrysafe engine = Retrysafe.create(store);

  @BeforeAll
  void makeLedger() throws SQLException {
    Ledger.create(source);
  }

  @AfterAll
  void end() {
    engine.close();
    store.close();
    server.close();
  }

  private Ledger ledger(UnaryOperator<Connection> seen) {
    return new Ledger(source, store, engine, seen);
  }

  @Test
  void aTransferRunsOnceAndAnswersAsItDid() throws SQLException {
    Ledger ledger = ledger(connection -> connection);
    String first = ledger.transfer("once", () -> {});

    assertThat(ledger.transfer("once", () -> {})).isEqualTo(first);
    assertThat(transfers("once")).isEqualTo(1);
  }

  @Test
  void anExceptionRollsBackAndFreesTheKey() throws SQLException {
    Ledger ledger = ledger(connection -> connection);
    assertThatThrownBy(
            () ->
                ledger.transfer(
                    "broken",
                    () -> {
                      throw new IllegalArgumentException("no");
                    }))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(transfers("broken")).isZero();
    assertThat(store.find(Ledger.key("broken"))).isEmpty();
    ledger.transfer("broken", () -> {});
    assertThat(transfers("broken")).isEqualTo(1);
  }

  @Test
  void aRefusedCompletionTakesTheEffectAlong() throws SQLException {
    Ledger ledger = ledger(connection -> connection);
    assertThatThrownBy(() -> ledger.transfer("lost", () -> takeOver("lost")))
        .isInstanceOf(OutcomeUnknownException.class);

    assertThat(transfers("lost")).isZero();
    assertThat(store.find(Ledger.key("lost")))
        .get()
        .satisfies(entry -> assertThat(entry.state()).isEqualTo(State.IN_PROGRESS));
  }

  @Test
  void aRenewalDuringTheTransactionIsNoConflict() throws SQLException {
    Ledger ledger = ledger(connection -> connection);
    ledger.transfer("renewed", () -> renew("renewed"));

    assertThat(transfers("renewed")).isEqualTo(1);
  }

  /** Its snapshot would not see the renewal, and the completion would fail every time. */
  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
  void aTransactionThatCouldNotCompleteAfterARenewalIsRefusedAtItsBeginning(int isolation)
      throws SQLException {
    Ledger ledger =
        ledger(
            connection -> {
              try {
                connection.setTransactionIsolation(isolation);
                return connection;
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThatThrownBy(() -> ledger.transfer("isolated", () -> renew("isolated")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("only in a transaction at READ COMMITTED");

    assertThat(transfers("isolated")).isZero();
    assertThat(store.find(Ledger.key("isolated"))).as("nothing was claimed").isEmpty();
  }

  @Test
  void aConflictWithARenewalSaysWhy() throws SQLException {
    Claim claim = Samples.claim(Samples.newKey());
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    try (Connection connection = source.getConnection();
        JoinedTransaction joined = store.joining(connection);
        Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      statement.execute("SELECT count(*) FROM transfer");
      assertThat(store.renew(Set.of(claim.owner()), Duration.ofMinutes(1))).hasSize(1);

      assertThatThrownBy(() -> joined.settle(claim.owner(), Samples.DONE, Samples.RETENTION))
          .hasMessageContaining(
              "above READ COMMITTED a completion fails once the lease was renewed");
    }
  }

  private void renew(String name) {
    Entry entry = store.find(Ledger.key(name)).orElseThrow();
    Owner owner = new Owner(entry.key(), entry.token());
    assertThat(store.renew(Set.of(owner), Duration.ofMinutes(1))).containsExactly(owner);
  }

  /** As another process does whose claim finds the lease lapsed. */
  private void takeOver(String name) {
    Claim claim =
        new Claim(
            Ledger.key(name),
            Fingerprint.ofText("alice", "bob", "1"),
            Token.of(UUID.randomUUID()),
            Duration.ofMinutes(1),
            TakeOver.ALWAYS);
    // The owner's heartbeat may renew the lease in between.
    ClaimResult result = lapseAndClaim(claim);
    for (int i = 0; i < 100 && !(result instanceof Granted); i++) {
      result = lapseAndClaim(claim);
    }
    assertThat(result).isInstanceOf(Granted.class);
  }

  private ClaimResult lapseAndClaim(Claim claim) {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "UPDATE retrysafe_entry SET lease_until = clock_timestamp() WHERE key = '"
              + claim.key().value()
              + "'");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return store.claim(claim);
  }

  @Test
  void aCommitWhoseAnswerIsLostIsRecognised() throws SQLException {
    String number = ledger(real -> failing(real, true)).transfer("answered", () -> {});

    assertThat(transfers("answered")).isEqualTo(1);
    assertThat(ledger(connection -> connection).transfer("answered", () -> {})).isEqualTo(number);
  }

  @Test
  void aCommitThatNeverArrivedIsRecognisedAndMayBeRetried() throws SQLException {
    assertThatThrownBy(() -> ledger(real -> failing(real, false)).transfer("cut", () -> {}))
        .hasMessageContaining("the transaction was rolled back");

    assertThat(transfers("cut")).isZero();
    ledger(connection -> connection).transfer("cut", () -> {});
    assertThat(transfers("cut")).isEqualTo(1);
  }

  /** Returns a connection that loses its server at the commit, after it or before. */
  private static Connection failing(Connection real, boolean afterwards) {
    return (Connection)
        Proxy.newProxyInstance(
            JoinedTransactionTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("commit")) {
                if (afterwards) {
                  real.commit();
                } else {
                  cutLater(real);
                }
                throw new SQLException("the connection was cut", "08006");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** The server notices only after a while, and holds the row until then. */
  private static void cutLater(Connection real) {
    Thread thread =
        new Thread(
            () -> {
              try {
                TimeUnit.MILLISECONDS.sleep(300);
                real.rollback();
              } catch (SQLException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    thread.start();
  }

  private int transfers(String name) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT count(*) FROM transfer WHERE key = '" + name + "'")) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
