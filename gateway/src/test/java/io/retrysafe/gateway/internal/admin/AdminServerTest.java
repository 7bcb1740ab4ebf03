// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import io.retrysafe.Retrysafe;
import io.retrysafe.gateway.GatewayTests;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.retrysafe.operations.Operations;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.Store;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The admin port goes on after an error. */
class AdminServerTest extends GatewayTests {

  @Test
  void anErrorInTheTimerOfTheAdminPortDoesNotEndIt() throws Exception {
    Vertx vertx = Vertx.vertx();
    started(() -> vertx.close().toCompletionStage().toCompletableFuture().get());
    GatewayConfig config =
        GatewayConfig.builder(URI.create("http://127.0.0.1:9"))
            .admin(Listen.parse("127.0.0.1:0"))
            .build();
    AtomicInteger asked = new AtomicInteger();
    Supplier<GatewayConfig> broken =
        () -> {
          if (asked.incrementAndGet() > 1) {
            throw new AssertionError("thrown by the test");
          }
          return config;
        };
    Store memory = MemoryStore.builder().build();
    Retrysafe engine = started(Retrysafe.create(memory));
    Operations operations = Operations.builder(memory, engine).build();
    AdminServer admin = new AdminServer(broken, new UnusedControl(), new Metrics(), operations);
    vertx.deployVerticle(admin).toCompletionStage().toCompletableFuture().get();

    until(() -> asked.get() > 3);
  }
}
