// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** Claims that wait in the queue of a store while something else happens. */
class QueuedClaimsTest extends GatewayTests {
  private final CompletableFuture<Void> go = new CompletableFuture<>();
  private final CountDownLatch queued = new CountDownLatch(1);

  /** Returns a store whose claims are answered when {@link #go} says so. */
  private Store slow(Path folder) {
    SQLiteDataSource source = new SQLiteDataSource();
    source.setUrl("jdbc:sqlite:" + folder.resolve("store.db"));
    JdbcStore inner = started(JdbcStore.builder(source).applySchema(true).build());
    return Intercepted.store(
        inner,
        (method, inside) -> {
          Object answer = inside.call();
          if (method.equals("claim") && answer instanceof CompletionStage<?> claimed) {
            queued.countDown();
            return claimed.thenCombine(go, (result, now) -> result);
          }
          return answer;
        },
        Queued.class,
        Secrets.class);
  }

  @Test
  void aClientThatGoesWhileItsClaimIsQueuedLosesNoGrant(@TempDir Path folder) throws Exception {
    Upstream upstream = started(Upstream.charging());
    GatewayConfig config = config(upstream.url()).limits(limits().connections(1)).build();
    Gateway gateway = started(Gateway.start(config, slow(folder)));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      assertThat(queued.await(60, TimeUnit.SECONDS)).isTrue();
    }
    // There is room for another connection only when the first one was seen to be gone.
    until(() -> Wire.call(port(gateway), Wire.post("/payments", "")).status() == 400);

    go.complete(null);

    until(() -> upstream.asked().size() == 1);
    until(() -> Wire.call(port(gateway), Wire.post("/payments", key)).isReplayed());
    assertThat(upstream.asked()).hasSize(1);
  }
}
