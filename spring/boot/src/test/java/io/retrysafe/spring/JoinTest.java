// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.testing.servers.PostgresServer;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Handler, service and recorded answer in one transaction of a real application. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class JoinTest {
  private final PostgresServer server = PostgresServer.start();
  private @Nullable App started;

  @BeforeAll
  void start() {
    Application.url = server.url();
    started =
        App.start(
            Application.class,
            "retrysafe.jdbc.initialize-schema=always",
            "retrysafe.anonymous=shared");
    app().bean(JdbcTemplate.class).execute("CREATE TABLE payment (name text NOT NULL)");
  }

  @AfterAll
  void stop() {
    if (started != null) {
      started.close();
    }
    server.close();
  }

  @Test
  void anApplicationWhoseTransactionsCouldNotCompleteDoesNotStart() {
    Application.url = server.url() + "&options=-c%20default_transaction_isolation=serializable";
    try {
      assertThatThrownBy(() -> App.start(Application.class, "retrysafe.anonymous=shared").close())
          .hasStackTraceContaining("@Idempotent(transaction = JOIN) cannot be used")
          .hasStackTraceContaining("at READ COMMITTED, this one is at SERIALIZABLE");
    } finally {
      Application.url = server.url();
    }
  }

  private App app() {
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
  }

  private HttpResponse<String> pay(String path, String key) {
    return app().post("u", path, key, key);
  }

  private int rows(String name) {
    Integer count =
        app()
            .bean(JdbcTemplate.class)
            .queryForObject("SELECT count(*) FROM payment WHERE name = ?", Integer.class, name);
    return count == null ? -1 : count;
  }

  private Optional<Entry> entry(String key) {
    return app()
        .bean(JdbcStore.class)
        .browse(
            new Browsable.Query(
                Set.of(State.values()),
                Optional.empty(),
                Optional.empty(),
                Optional.of(key),
                Duration.ZERO,
                10,
                Optional.empty()))
        .entries()
        .stream()
        .findFirst();
  }

  @Test
  void aPaymentIsMadeOnceAndAnsweredAsItWas() {
    String key = App.freshKey();
    HttpResponse<String> first = pay("/joined", key);
    HttpResponse<String> retry = pay("/joined", key);

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(retry.statusCode()).isEqualTo(201);
    assertThat(App.isReplay(retry)).isTrue();
    assertThat(retry.body()).isEqualTo(first.body());
    assertThat(rows(key)).isEqualTo(1);
  }

  @Test
  void anExceptionRollsBackAndFreesTheKey() {
    String key = App.freshKey();
    assertThat(pay("/joined/failing", key).statusCode()).isEqualTo(500);
    assertThat(rows(key)).isZero();
    assertThat(entry(key)).isEmpty();
  }

  @Test
  void aTimeOutRollsBackAndFreesTheKeyToo() {
    String key = App.freshKey();

    assertThat(pay("/joined/timing-out", key).statusCode()).isEqualTo(500);
    assertThat(rows(key)).isZero();
    assertThat(entry(key)).isEmpty();
  }

  @Test
  void aSilentRollbackInsideIsNotShownAsSuccess() {
    String key = App.freshKey();
    HttpResponse<String> response = pay("/joined/swallowing", key);

    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(response.body()).contains("operation-failed", "\"retryable\":true");
    assertThat(rows(key)).isZero();
    assertThat(entry(key)).isEmpty();
  }

  @Test
  void whatIsFlushedDoesNotLeaveBeforeTheCommit() {
    String key = App.freshKey();
    HttpResponse<String> response = pay("/joined/flushing", key);

    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(response.body()).doesNotContain("too early");
    assertThat(rows(key)).isZero();
  }

  @Test
  void anOwnerThatWasReplacedCommitsNothing() {
    String key = App.freshKey();
    HttpResponse<String> response = pay("/joined/replaced", key);

    assertThat(response.statusCode()).isEqualTo(409);
    assertThat(response.body()).contains("outcome-unknown");
    assertThat(rows(key)).isZero();
    assertThat(entry(key)).map(Entry::state).contains(State.IN_PROGRESS);
  }

  @Test
  void aCommitWhoseAnswerIsLostIsRecognised() {
    String key = App.freshKey();
    Application.LOST_ANSWERS.add(key);
    HttpResponse<String> response = pay("/joined/cut", key);

    assertThat(response.statusCode()).isEqualTo(201);
    assertThat(rows(key)).isEqualTo(1);
    assertThat(App.isReplay(pay("/joined/cut", key))).isTrue();
  }

  @Test
  void aCommitThatNeverArrivedIsRecognisedAndMayBeRetried() {
    String key = App.freshKey();
    Application.LOST_COMMITS.add(key);
    assertThat(pay("/joined/cut", key).statusCode()).isEqualTo(500);
    assertThat(rows(key)).isZero();

    Application.LOST_COMMITS.remove(key);
    assertThat(pay("/joined/cut", key).statusCode()).isEqualTo(201);
    assertThat(rows(key)).isEqualTo(1);
  }

  @Test
  void aMethodIsJoinedToo() {
    Payments payments = app().bean(Payments.class);
    String key = App.freshKey();

    assertThat(payments.once(key, false)).isEqualTo("paid " + key);
    assertThat(payments.once(key, false)).isEqualTo("paid " + key);
    assertThat(rows(key)).isEqualTo(1);

    String failing = App.freshKey();
    assertThatThrownBy(() -> payments.once(failing, true)).hasMessage("after the effect");
    assertThat(rows(failing)).isZero();
    assertThat(entry(failing)).isEmpty();
  }

  @Test
  void aMethodInsideAnothersTransactionIsRefused() {
    TransactionTemplate transactions = app().bean(TransactionTemplate.class);
    Payments payments = app().bean(Payments.class);

    assertThatThrownBy(() -> transactions.execute(status -> payments.once("inside", false)))
        .hasMessageContaining("is called inside a transaction");
    assertThat(rows("inside")).isZero();
  }

  @Test
  void aHandlerThatGoesOnInAnotherThreadCannotBeJoined() {
    assertThatThrownBy(() -> App.start(Later.class, "retrysafe.jdbc.initialize-schema=always"))
        .hasStackTraceContaining("goes on in another thread");
  }

  /** A handler that cannot be joined. */
  @SpringBootConfiguration
  @EnableAutoConfiguration
  @RestController
  static class Later extends Application {
    @Idempotent(transaction = Idempotent.Transaction.JOIN)
    @PostMapping("/later")
    Callable<String> later() {
      return () -> "later";
    }
  }

  /** Payments in a database that can be cut off at the commit. */
  @SpringBootConfiguration
  @EnableAutoConfiguration
  @Import({Payments.class, Handlers.class, OpenSecurity.class})
  static class Application {
    static final Set<String> LOST_ANSWERS = ConcurrentHashMap.newKeySet();
    static final Set<String> LOST_COMMITS = ConcurrentHashMap.newKeySet();
    static volatile String url = "";

    @Bean
    DataSource dataSource() {
      PGSimpleDataSource postgres = new PGSimpleDataSource();
      postgres.setUrl(url);
      return new DelegatingDataSource(postgres) {
        @Override
        public Connection getConnection() throws SQLException {
          return cuttable(super.getConnection());
        }
      };
    }

    private static Connection cuttable(Connection real) {
      return (Connection)
          Proxy.newProxyInstance(
              JoinTest.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                String paying = Handlers.PAYING.get();
                if (method.getName().equals("commit") && paying != null) {
                  if (LOST_ANSWERS.contains(paying)) {
                    real.commit();
                    throw new SQLException("the connection was cut", "08006");
                  }
                  if (LOST_COMMITS.contains(paying)) {
                    real.rollback();
                    throw new SQLException("the connection was cut", "08006");
                  }
                }
                try {
                  return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause() == null ? e : e.getCause();
                }
              });
    }
  }

  /** A service with transactions of its own. */
  @Service
  static class Payments {
    private final JdbcTemplate jdbc;

    Payments(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Transactional
    public void insert(String name) {
      jdbc.update("INSERT INTO payment VALUES (?)", name);
    }

    @Transactional
    public void insertAndFail(String name) {
      insert(name);
      throw new IllegalStateException("after the effect");
    }

    @Idempotent(key = "#name", transaction = Idempotent.Transaction.JOIN)
    @Transactional
    public String once(String name, boolean fails) {
      insert(name);
      if (fails) {
        throw new IllegalStateException("after the effect");
      }
      return "paid " + name;
    }
  }

  /** Handlers that are joined. */
  @RestController
  @Idempotent(transaction = Idempotent.Transaction.JOIN)
  static class Handlers {
    static final ThreadLocal<@Nullable String> PAYING = new ThreadLocal<>();

    private final Payments payments;
    private final JdbcStore store;
    private final JdbcTemplate jdbc;

    Handlers(Payments payments, JdbcStore store, JdbcTemplate jdbc) {
      this.payments = payments;
      this.store = store;
      this.jdbc = jdbc;
    }

    @PostMapping("/joined")
    @ResponseStatus(HttpStatus.CREATED)
    String pay(@RequestBody String name) {
      payments.insert(name);
      return "paid " + name;
    }

    @PostMapping("/joined/failing")
    String fail(@RequestBody String name) {
      payments.insertAndFail(name);
      return "never";
    }

    @PostMapping("/joined/timing-out")
    String timeOut(@RequestBody String name) throws IOException {
      payments.insert(name);
      throw new IOException("cut");
    }

    @PostMapping("/joined/swallowing")
    @ResponseStatus(HttpStatus.CREATED)
    String swallow(@RequestBody String name) {
      try {
        payments.insertAndFail(name);
      } catch (IllegalStateException e) {
        // As careless as handlers are.
      }
      return "paid";
    }

    @PostMapping("/joined/flushing")
    void flush(@RequestBody String name, HttpServletResponse response)
        throws IOException, InterruptedException {
      payments.insert(name);
      response.getOutputStream().print("too early");
      response.flushBuffer();
      Thread.sleep(300);
      throw new IllegalStateException("after the flush");
    }

    @PostMapping("/joined/{how:cut}")
    ResponseEntity<String> cut(@RequestBody String name, @PathVariable String how) {
      payments.insert(name);
      PAYING.set(name);
      return ResponseEntity.status(201).body(how + " off " + name);
    }

    @PostMapping("/joined/replaced")
    @ResponseStatus(HttpStatus.CREATED)
    String replaced(@RequestBody String name) {
      payments.insert(name);
      Entry entry =
          store.browse(Browsable.Query.of(Set.of(State.IN_PROGRESS), 100)).entries().stream()
              .filter(each -> each.key().value().equals(name))
              .findFirst()
              .orElseThrow();
      takeOver(entry);
      return "paid";
    }

    /** As another process does whose claim finds the lease lapsed. */
    private void takeOver(Entry entry) {
      Claim claim =
          new Claim(
              entry.key(),
              entry.fingerprint(),
              Token.of(UUID.randomUUID()),
              Duration.ofMinutes(1),
              TakeOver.ALWAYS);
      Thread other =
          new Thread(
              () -> {
                for (int i = 0; i < 100; i++) {
                  jdbc.update(
                      "UPDATE retrysafe_entry SET lease_until = clock_timestamp() WHERE key = ?",
                      entry.key().value());
                  if (store.claim(claim) instanceof ClaimResult.Granted) {
                    return;
                  }
                }
              });
      other.start();
      try {
        other.join(10_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
