// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store that hangs, and what gets on nevertheless. */
class StuckStoreTest extends GatewayTests {
  private static final String VIEWER = "Authorization: Bearer viewer-secret-123\r\n";

  private final CountDownLatch go = new CountDownLatch(1);
  private final AtomicInteger stuck = new AtomicInteger();
  private volatile String hanging = "";
  private Gateway gateway;

  @BeforeEach
  void start() throws IOException {
    Store hangs =
        Intercepted.store(
            store,
            (method, inside) -> {
              if (method.equals(hanging)) {
                stuck.incrementAndGet();
                go.await(120, TimeUnit.SECONDS);
              }
              return inside.call();
            });
    Upstream upstream = started(Upstream.charging());
    GatewayConfig config =
        config(upstream.url()).limits(limits().storeDeadline(Duration.ofSeconds(1))).build();
    gateway = started(Gateway.start(config, hangs));
    started(go::countDown);
  }

  private Wire.Reply admin(String path) throws IOException {
    return Wire.call(gateway.adminAddress().getPort(), Wire.get(path, VIEWER));
  }

  @Test
  void anOperatorGetsThroughWhileEveryRequestHangsInTheStore() throws Exception {
    Wire.call(port(gateway), Wire.post("/payments", key));
    hanging = "claim";
    for (int i = 0; i < 300; i++) {
      started(new Wire(port(gateway))).send(Wire.post("/payments", key + i));
    }
    // So many threads call the store where there are no virtual ones.
    until(() -> stuck.get() >= 256);

    assertThat(admin("/api/operations").text()).contains(key);
    assertThat(admin("/health/live").status()).isEqualTo(200);
    until(() -> admin("/metrics").text().contains("retrysafe_ready 0\n"));
    assertThat(admin("/health/ready").text()).isEqualTo("the store does not answer\n");
  }

  @Test
  void whoeverLooksWaitsNoLongerForTheStoreThanRequestsDo() throws Exception {
    hanging = "claim";

    until(() -> admin("/health/ready").text().equals("the store does not answer\n"));
    for (int i = 0; i < 3; i++) {
      assertThat(admin("/health/ready").text()).isEqualTo("the store does not answer\n");
      assertThat(admin("/metrics").text()).contains("retrysafe_ready 0\n");
    }

    assertThat(stuck.get()).as("probes of a store that hangs").isBetween(1, 4);
    go.countDown();
    until(() -> admin("/health/ready").status() == 200);
  }

  @Test
  void theProcessIsAliveWhateverHangs() throws Exception {
    hanging = "browse";
    String list = Wire.get("/api/operations", VIEWER);
    for (int i = 0; i < 40; i++) {
      started(new Wire(gateway.adminAddress().getPort())).send(list);
    }
    until(() -> stuck.get() >= 16);

    assertThat(admin("/health/live").text()).isEqualTo("live\n");
  }

  @Test
  void thoseWhoWaitForTheStoreTakeSoManyThreadsAndNoMore() throws Exception {
    hanging = "browse";
    String list = Wire.get("/api/operations", VIEWER);
    for (int i = 0; i < 40; i++) {
      Wire wire = started(new Wire(gateway.adminAddress().getPort()));
      wire.send(Wire.get("/health/live", "")).read();
      wire.send(list);
    }
    // Its event loop has seen all of them by then.
    assertThat(admin("/health/live").status()).isEqualTo(200);
    until(() -> stuck.get() >= 16);

    // Those of gateways that were here before end soon.
    until(() -> threads("retrysafe-admin") == 16);
  }

  private static long threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .count();
  }
}
