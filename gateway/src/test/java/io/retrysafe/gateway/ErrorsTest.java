// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteDataSource;

/**
 * Errors in every thread and timer of the gateway: each ends the work that it met, is answered
 * where somebody waits, and the gateway goes on.
 */
class ErrorsTest extends GatewayTests {
  private static final String ADMIN = "Authorization: Bearer admin-secret-1234\r\n";

  private final AtomicInteger thrown = new AtomicInteger();
  private volatile String failing = "";
  private volatile int failures;
  private volatile Supplier<GatewayConfig> source = () -> null;
  private volatile boolean isResolverBroken;
  private Upstream upstream;
  private Gateway gateway;

  /** An error that nothing but a catch of all throwables meets. */
  private static final class Broken extends Error {
    private static final long serialVersionUID = 1;

    Broken() {
      super("thrown by the test");
    }
  }

  @BeforeEach
  void start() throws IOException {
    upstream = started(Upstream.charging());
    gateway = started(start(failing(store)));
  }

  private GatewayConfig.Builder own() {
    return config(upstream.url())
        .account(
            headers -> {
              if (isResolverBroken) {
                throw new Broken();
              }
              return "somebody";
            })
        .limits(
            limits()
                .storeDeadline(Duration.ofSeconds(1))
                .bodyTimeout(Duration.ofMillis(500))
                .headTimeout(Duration.ofSeconds(60)));
  }

  private Gateway start(Store broken) {
    return Gateway.builder(own().build(), broken).source(() -> source.get()).start();
  }

  /** Returns a store that throws errors in the calls of one method, as often as a test says. */
  private Store failing(Store inner) {
    return Intercepted.store(
        inner,
        (method, inside) -> {
          synchronized (thrown) {
            if (method.equals(failing) && failures > 0) {
              failures--;
              thrown.incrementAndGet();
              throw new Broken();
            }
          }
          return inside.call();
        });
  }

  private void fail(String method, int times) {
    synchronized (thrown) {
      failing = method;
      failures = times;
    }
  }

  private Wire.Reply admin(String request) throws IOException {
    return Wire.call(gateway.adminAddress().getPort(), request);
  }

  private Wire.Reply pay(String with) throws IOException {
    return Wire.call(port(gateway), Wire.post("/payments", with));
  }

  private boolean isReady() throws IOException {
    return admin(Wire.get("/health/ready", "")).status() == 200;
  }

  /** Checks that requests are served and nothing is left of those before. */
  private void goesOn() throws Exception {
    for (int i = 0; i < 4; i++) {
      assertThat(pay(key + "after" + i).status()).isEqualTo(201);
    }
    until(this::isReady);
    until(() -> gateway.metrics().open().get() == 0);
    until(() -> gateway.runningOperations() == 0);
    assertThat(gateway.metrics().bodies().held()).isZero();
  }

  @Test
  void anErrorInAClaimIsAnsweredAndTheNextIsServed() throws Exception {
    fail("claim", 1);

    Wire.Reply reply = pay(key);

    assertThat(reply.status()).as("%s", reply).isIn(201, 503);
    assertThat(thrown).hasValue(1);
    goesOn();
  }

  @Test
  void errorsInManyClaimsAtOnceLeaveEveryThreadAlive() throws Exception {
    // More than there are threads for store calls.
    int many = 300;
    fail("claim", many);
    Wire[] wires = new Wire[many];
    for (int i = 0; i < many; i++) {
      wires[i] = started(new Wire(port(gateway))).send(Wire.post("/payments", key + i));
    }
    for (Wire wire : wires) {
      assertThat(wire.read().status()).isIn(201, 503);
    }
    until(() -> failures == 0 || isReady());

    goesOn();
  }

  @Test
  void anErrorInACompletionEndsThatRequestOnly() throws Exception {
    fail("complete", 1);
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      // An answer, or a cut: what matters is that it ends.
      try {
        assertThat(wire.read().status()).isIn(201, 500, 503);
      } catch (IOException cut) {
        assertThat(cut).isNotInstanceOf(java.net.SocketTimeoutException.class);
      }
    }

    assertThat(thrown).hasValue(1);
    goesOn();
  }

  @Test
  void anErrorInTheRequestHandlerEndsThatRequestOnly() throws Exception {
    isResolverBroken = true;
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      assertThat(wire.read().status()).isEqualTo(500);
      assertThat(wire.isClosed()).isTrue();
    }
    isResolverBroken = false;

    goesOn();
  }

  @ParameterizedTest
  @ValueSource(strings = {"browse", "find", "sweep"})
  void anErrorInAnAdminThreadIsAnswered(String method) throws Exception {
    pay(key);
    String list = admin(Wire.get("/api/operations", ADMIN)).text();
    String id = list.replaceAll("(?s).*\"id\":\"(op_[^\"]*)\".*", "$1");
    String request =
        switch (method) {
          case "browse" -> Wire.get("/api/operations", ADMIN);
          case "find" -> Wire.get("/api/operations/" + id, ADMIN);
          default -> Wire.post("/api/sweep", key, ADMIN, "");
        };
    // More than there are threads for the admin port.
    for (int i = 0; i < 20; i++) {
      fail(method, 1);
      assertThat(admin(request).status()).isEqualTo(503);
    }

    assertThat(thrown).hasValue(20);
    assertThat(admin(request).status()).isEqualTo(200);
    goesOn();
  }

  @Test
  void anErrorInAReloadChangesNothingAndTheNextReloadWorks() throws Exception {
    String reload = Wire.post("/api/reload", key, ADMIN, "");
    source =
        () -> {
          throw new Broken();
        };
    assertThat(admin(reload).status()).isEqualTo(503);
    goesOn();

    Upstream other = started(new Upstream((asked, s) -> Upstream.write(s, 201, "other")));
    source = () -> config(other.url()).build();
    assertThat(admin(reload).status()).isEqualTo(200);
    assertThat(pay("reloaded").text()).isEqualTo("other");
  }

  @Test
  void anErrorInTheFirstSelfTestDelaysReadinessOnly() throws Exception {
    fail("claim", 2);
    gateway = started(start(failing(store)));
    assertThat(thrown.get()).isPositive();

    until(this::isReady);
    goesOn();
  }

  @Test
  void readinessIsRedWhileClaimsFailAndGreenAfterwards() throws Exception {
    until(this::isReady);
    for (String method : new String[] {"claim", "complete"}) {
      fail(method, Integer.MAX_VALUE);
      until(() -> !isReady());
      fail("", 0);
      until(this::isReady);
    }

    goesOn();
  }

  @Test
  void readinessIsRedWhileEveryClaimLaneMeetsErrorsAndGreenAfterwards(@TempDir Path dir)
      throws Exception {
    SQLiteDataSource file = new SQLiteDataSource();
    file.setUrl("jdbc:sqlite:" + dir.resolve("store.db"));
    ThrowingSource claims = new ThrowingSource(file);
    try (JdbcStore sqlite = JdbcStore.builder(claims).applySchema(true).build();
        Gateway onSqlite = start(sqlite)) {
      gateway = onSqlite;
      until(this::isReady);
      assertThat(pay(key).status()).isEqualTo(201);

      claims.throwInClaims();
      until(() -> !isReady());
      assertThat(pay("other").status()).isEqualTo(503);
      assertThat(admin(Wire.get("/api/operations", ADMIN)).text())
          .as("the store answers everything else")
          .contains(key);
      claims.stop();

      until(this::isReady);
      goesOn();
    }
  }

  @Test
  void readinessIsNotCountedAndProbesAreBounded() throws Exception {
    AtomicInteger claims = new AtomicInteger();
    Store counted =
        Intercepted.store(
            store,
            (method, inside) -> {
              claims.addAndGet(method.equals("claim") ? 1 : 0);
              return inside.call();
            });
    gateway = started(start(counted));
    int before = claims.get();
    long start = System.nanoTime();
    for (int i = 0; i < 50; i++) {
      assertThat(isReady()).isTrue();
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);

    assertThat(claims.get() - before).isBetween(1, (int) seconds + 2);
    assertThat(metrics(gateway)).contains("retrysafe_events_total{event=\"claimed\"} 0\n");
  }
}
