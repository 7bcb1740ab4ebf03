// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.Tokens;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.Store;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** What tests of the gateway have in common. Everything that was started is closed, last first. */
public abstract class GatewayTests {
  static final Duration SOON = Duration.ofSeconds(60);

  /** A thread for each task: the common pool has one thread on a small machine. */
  static final Executor THREADS =
      task -> {
        Thread thread = new Thread(task, "test");
        thread.setDaemon(true);
        thread.start();
      };

  final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
  final Store store = MemoryStore.builder().clock(now::get).build();
  final String key = UUID.randomUUID().toString();
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  protected <T extends AutoCloseable> T started(T what) {
    started.push(what);
    return what;
  }

  @AfterEach
  void closeAll() throws Exception {
    while (!started.isEmpty()) {
      started.pop().close();
    }
  }

  static GatewayConfig.Builder config(URI upstream) {
    return GatewayConfig.builder(upstream)
        .listen(Listen.parse("127.0.0.1:0"))
        .admin(Listen.parse("127.0.0.1:0"))
        .tokens(new Tokens("admin-secret-1234", "viewer-secret-123"))
        .adminHosts(List.of("test", "admin"))
        .limits(limits());
  }

  static Limits limits() {
    return Limits.create()
        .connectTimeout(Duration.ofSeconds(20))
        .answerTimeout(Duration.ofSeconds(60))
        .stopWithin(Duration.ofMillis(200));
  }

  Gateway gateway(Upstream upstream, UnaryOperator<GatewayConfig.Builder> change) {
    return started(Gateway.start(change.apply(config(upstream.url())).build(), store));
  }

  Gateway gateway(Upstream upstream) {
    return gateway(upstream, config -> config);
  }

  static int port(Gateway gateway) {
    return gateway.address().getPort();
  }

  static String metrics(Gateway gateway) throws IOException {
    return Wire.call(gateway.adminAddress().getPort(), Wire.get("/metrics", "")).text();
  }

  /** Waits until something holds, for a while. */
  protected static void until(Callable<Boolean> holds) throws Exception {
    Instant end = Instant.now().plus(SOON);
    while (!holds.call()) {
      assertThat(Instant.now()).as("it never came to hold").isBefore(end);
      Thread.sleep(10);
    }
  }
}
