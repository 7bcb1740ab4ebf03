// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.internal.metrics.Metrics;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Errors that nobody expects, thrown where requests are served. Each request is answered, nothing
 * of it stays behind, and the next one is served.
 */
class ThrowablesTest extends GatewayTests {
  private final AtomicReference<Throwable> thrown = new AtomicReference<>();

  private static Throwable error(String name) {
    return switch (name) {
      case "memory" -> new OutOfMemoryError("a test says so");
      case "stack" -> new StackOverflowError();
      case "link" -> new NoClassDefFoundError("a test says so");
      default -> new IllegalStateException("a test says so");
    };
  }

  private void throwIt() {
    Throwable error = thrown.get();
    if (error instanceof Error e) {
      throw e;
    }
    if (error instanceof RuntimeException e) {
      throw e;
    }
  }

  private void assertNothingIsLeft(Gateway gateway) throws Exception {
    Metrics metrics = gateway.metrics();
    until(() -> metrics.open().get() == 0 && metrics.running().sum() == 0);
    until(() -> metrics.bodies().held() == 0 && metrics.answers().held() == 0);
    until(() -> metrics.connections().sum() == 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "stack", "link", "state"})
  void anAccountResolverThrows(String error) throws Exception {
    Gateway gateway =
        gateway(
            started(Upstream.charging()),
            c ->
                c.account(
                    headers -> {
                      throwIt();
                      return "somebody";
                    }));
    thrown.set(error(error));

    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).status()).isEqualTo(500);

    assertNothingIsLeft(gateway);
    thrown.set(null);
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).text()).isEqualTo("charge 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "stack", "link", "state"})
  void aStoreThrows(String error) throws Exception {
    for (String method : List.of("claim", "complete", "release", "find")) {
      Gateway gateway =
          started(
              Gateway.start(
                  config(started(Upstream.charging()).url()).build(),
                  Intercepted.store(
                      store,
                      (called, inside) -> {
                        if (called.equals(method)) {
                          throwIt();
                        }
                        return inside.call();
                      })));
      thrown.set(error(error));
      // Large enough for a file.
      String body = "x".repeat(2 << 20);
      for (String request :
          List.of(
              Wire.post("/payments", key + method),
              Wire.post("/payments", key + method + "2", "", body))) {
        int status = Wire.call(port(gateway), request).status();
        assertThat(status).as(method).isIn(201, 500, 503);
      }

      assertNothingIsLeft(gateway);
      thrown.set(null);
      assertThat(Wire.call(port(gateway), Wire.post("/payments", key + method + "3")).status())
          .isEqualTo(201);
      gateway.close();
    }
  }
}
