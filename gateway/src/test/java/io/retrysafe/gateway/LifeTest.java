// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.KeyRule;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Starting, being looked at, reloading and stopping. */
class LifeTest extends GatewayTests {

  private static Wire.Reply admin(Gateway gateway, String request) throws IOException {
    return Wire.call(gateway.adminAddress().getPort(), request);
  }

  private static String bearer(String token) {
    return "Authorization: Bearer " + token + "\r\n";
  }

  @Test
  void healthAndMetricsNeedNoToken() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream, c -> c.route(GatewayRoute.create("POST /payments")));
    Wire.call(port(gateway), Wire.post("/payments", key));
    Wire.call(port(gateway), Wire.post("/payments", key));
    Wire.call(port(gateway), Wire.get("/x", ""));

    assertThat(admin(gateway, Wire.get("/health/live", "")).status()).isEqualTo(200);
    assertThat(admin(gateway, Wire.get("/health/ready", "")).status()).isEqualTo(200);
    assertThat(admin(gateway, Wire.get("/metrics", "")).text())
        .contains("retrysafe_requests_total{route=\"POST /payments\",result=\"first\"} 1\n")
        .contains("retrysafe_requests_total{route=\"POST /payments\",result=\"replayed\"} 1\n")
        .contains("retrysafe_requests_total{route=\"other requests\",result=\"passed\"} 1\n")
        .contains("retrysafe_running 0\n")
        .contains("retrysafe_ready 1\n");
    assertThat(admin(gateway, Wire.get("/nothing", "")).status()).isEqualTo(404);
  }

  @Test
  void operationsAreListedForThoseWithAToken() throws Exception {
    Upstream upstream = started(new Upstream((asked, s) -> Upstream.write(s, 201, "secret body")));
    Gateway gateway = gateway(upstream);
    Wire.call(port(gateway), Wire.post("/payments", key));

    for (String wrong : List.of("", bearer("wrong"), "Authorization: viewer-secret-123\r\n")) {
      assertThat(admin(gateway, Wire.get("/api/operations", wrong)).status()).isEqualTo(401);
    }
    for (String token : List.of("viewer-secret-123", "admin-secret-1234")) {
      Wire.Reply reply = admin(gateway, Wire.get("/api/operations?limit=10", bearer(token)));
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.text())
          .startsWith("{\"operations\":[{")
          .contains("\"key\":\"" + key + "\"")
          .contains("\"state\":\"completed\"")
          .contains("POST /payments\"")
          .doesNotContain("self-test")
          .contains("\"status\":201")
          .doesNotContain("secret body");
    }
    assertThat(
            admin(gateway, Wire.get("/api/operations?limit=0", bearer("viewer-secret-123")))
                .status())
        .isEqualTo(400);
    assertThat(
            admin(gateway, Wire.get("/api/operations?limit=x", bearer("viewer-secret-123")))
                .status())
        .isEqualTo(400);
    assertThat(admin(gateway, Wire.post("/api/operations", key)).status()).isEqualTo(405);
    assertThat(Wire.call(port(gateway), Wire.get("/metrics", "")).text()).isEqualTo("secret body");
  }

  @Test
  void aReloadIsTheAdminsAndDropsNoRequest() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream before =
        started(
            new Upstream(
                (asked, socket) -> {
                  boolean isHeld = asked.head().contains("/held");
                  return (!isHeld || go.await(60, TimeUnit.SECONDS))
                      && Upstream.write(socket, 201, "before");
                }));
    Upstream after = started(new Upstream((asked, s) -> Upstream.write(s, 201, "after")));
    GatewayConfig next = config(after.url()).build();
    Gateway gateway =
        started(Gateway.builder(config(before.url()).build(), store).source(() -> next).start());
    CompletableFuture<Wire.Reply> held =
        CompletableFuture.supplyAsync(() -> quietly(gateway, Wire.post("/held", key)), THREADS);
    CompletableFuture<Wire.Reply> passing =
        CompletableFuture.supplyAsync(() -> quietly(gateway, Wire.get("/held", "")), THREADS);
    until(() -> before.asked().size() == 2);
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicInteger served = new AtomicInteger();
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(
            () -> {
              while (!isOver.get()) {
                Wire.Reply reply = quietly(gateway, Wire.post("/payments", key + served.get()));
                assertThat(reply.status()).isEqualTo(201);
                served.incrementAndGet();
              }
            },
            THREADS);
    until(() -> served.get() > 3);
    assertThat(
            admin(gateway, Wire.post("/api/reload", key, bearer("viewer-secret-123"), "")).status())
        .isEqualTo(403);

    assertThat(
            admin(gateway, Wire.post("/api/reload", key, bearer("admin-secret-1234"), "")).status())
        .isEqualTo(200);

    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).text()).isEqualTo("after");
    int soFar = served.get();
    until(() -> served.get() > soFar + 3 || load.isDone());
    isOver.set(true);
    load.get(60, TimeUnit.SECONDS);
    go.countDown();
    assertThat(held.get(60, TimeUnit.SECONDS).text()).isEqualTo("before");
    assertThat(passing.get(60, TimeUnit.SECONDS).text()).isEqualTo("before");
    assertThat(Wire.call(port(gateway), Wire.post("/held", key)).isReplayed()).isTrue();
  }

  private static Wire.Reply quietly(Gateway gateway, String request) {
    try {
      return Wire.call(port(gateway), request);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aReloadThatCannotBeDoneChangesNothing() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream);
    GatewayConfig moved = config(upstream.url()).listen(Listen.parse("127.0.0.1:9")).build();

    assertThatThrownBy(() -> gateway.reload(moved))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("listen cannot change");

    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).status()).isEqualTo(201);
  }

  @Test
  void runningRequestsEndBeforeTheGatewayStops() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    Gateway gateway = gateway(upstream, c -> c.limits(limits().stopWithin(Duration.ofSeconds(60))));
    CompletableFuture<Wire.Reply> running =
        CompletableFuture.supplyAsync(() -> quietly(gateway, Wire.post("/payments", key)), THREADS);
    until(() -> upstream.asked().size() == 1);

    CompletableFuture<Void> stopping = CompletableFuture.runAsync(gateway::close, THREADS);
    until(() -> isRefused(gateway));
    go.countDown();

    assertThat(running.get(60, TimeUnit.SECONDS).text()).isEqualTo("charged");
    stopping.get(60, TimeUnit.SECONDS);
  }

  private static boolean isRefused(Gateway gateway) {
    try {
      new Wire(port(gateway)).close();
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void aGatewayMayBeClosedTwice() throws Exception {
    Gateway gateway = gateway(started(Upstream.charging()));

    gateway.close();
    gateway.close();

    assertThat(isRefused(gateway)).isTrue();
  }

  @Test
  void whatDoesNotEndInTimeStaysLeased() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    Upstream upstream = started(new Upstream((asked, socket) -> never.await(5, TimeUnit.SECONDS)));
    Gateway gateway = gateway(upstream);
    CompletableFuture<Wire.Reply> running =
        CompletableFuture.supplyAsync(() -> quietly(gateway, Wire.post("/payments", key)), THREADS);
    until(() -> upstream.asked().size() == 1);

    gateway.close();

    assertThat(running).failsWithin(Duration.ofSeconds(20));
    Gateway next = gateway(upstream);
    assertThat(Wire.call(port(next), Wire.post("/payments", key)).problem())
        .isEqualTo("in-progress");
    now.updateAndGet(before -> before.plusSeconds(31));
    assertThat(Wire.call(port(next), Wire.post("/payments", key)).problem())
        .isEqualTo("outcome-unknown");
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void aTakenAddressIsNamed() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Listen taken = Listen.parse("127.0.0.1:" + upstream.port());

    assertThatThrownBy(() -> gateway(upstream, c -> c.listen(taken)))
        .hasMessageContaining("cannot listen on " + taken);
    assertThatThrownBy(() -> gateway(upstream, c -> c.admin(taken)))
        .hasMessageContaining("cannot listen on " + taken);
  }

  @Test
  void theGatewayIsReadyWhenTheStoreHasShownThatItReplays() throws Exception {
    AtomicBoolean isSilent = new AtomicBoolean(true);
    Upstream upstream = started(Upstream.charging());
    GatewayConfig config =
        config(upstream.url()).limits(limits().storeDeadline(Duration.ofMillis(100))).build();
    Gateway gateway = started(Gateway.start(config, switched(isSilent)));

    assertThat(admin(gateway, Wire.get("/health/ready", "")).status()).isEqualTo(503);
    assertThat(admin(gateway, Wire.get("/health/live", "")).status()).isEqualTo(200);

    isSilent.set(false);
    until(() -> admin(gateway, Wire.get("/health/ready", "")).status() == 200);
    isSilent.set(true);
    until(
        () ->
            admin(gateway, Wire.get("/health/ready", ""))
                .text()
                .equals("the store does not answer\n"));
    isSilent.set(false);
    until(() -> admin(gateway, Wire.get("/health/ready", "")).status() == 200);
  }

  /** Returns a store that answers only while it is not silent. */
  private static Store switched(AtomicBoolean isSilent) {
    return Intercepted.store(
        MemoryStore.create(),
        (method, inside) -> {
          if (isSilent.get() && !method.equals("profile")) {
            throw new NoAnswerException("silent", null);
          }
          return inside.call();
        });
  }

  /** Returns a store that runs everything and records nothing. */
  private static Store forgetful() {
    return Intercepted.store(
        MemoryStore.create(),
        (method, inside) -> method.equals("complete") ? (Object) true : inside.call());
  }

  @Test
  void aStoreThatForgetsIsFoundOut() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = started(Gateway.start(config(upstream.url()).build(), forgetful()));

    assertThat(admin(gateway, Wire.get("/health/ready", "")).text())
        .isEqualTo("the self-test has not succeeded yet\n");
  }

  @Test
  void theStartLinesSayWhatIsPromisedOnEachRoute() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.route(GatewayRoute.create("POST /payments"))
                    .route(
                        GatewayRoute.create("POST /open")
                            .policy(HttpPolicy.create().key(KeyRule.none()))));

    Profile profile = store.profile();
    assertThat(gateway.startLines())
        .anyMatch(line -> line.contains("a retry must carry the same Authorization header"))
        .anyMatch(line -> line.startsWith("POST /payments -> ") && line.contains(profile.promise()))
        .anyMatch(
            line -> line.startsWith("POST /open -> ") && line.endsWith("nothing is promised"));
  }

  @Test
  void callersWithoutIdentityMustBeThoughtOfWhereOthersReachTheGateway() {
    GatewayConfig.Builder open =
        config(URI.create("http://127.0.0.1:1")).listen(Listen.parse("0.0.0.0:0"));

    assertThatThrownBy(open::build).hasMessageContaining("anonymous must be refuse or shared");
    assertThat(open.anonymous(Anonymous.REFUSE).build().policy()).isNotNull();
  }

  @Test
  void anotherAuthorizationIsAnotherAccount() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream);

    for (String token : List.of("a", "b", "a")) {
      Wire.call(port(gateway), Wire.post("/payments", key, bearer(token), "{}"));
    }

    assertThat(upstream.asked()).hasSize(2);
    Optional<Entry> plain =
        store.find(OperationKey.of(io.retrysafe.Scope.of("Bearer a", "POST", "/payments"), key));
    assertThat(plain).as("credentials are not stored").isEmpty();
  }
}
