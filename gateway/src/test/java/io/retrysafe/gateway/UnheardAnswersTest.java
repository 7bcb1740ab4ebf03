// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Answers that nobody waits for any more, on a store that answers in threads of its own: what is
 * wrong then happens in the event loop, which says so.
 */
class UnheardAnswersTest extends GatewayTests {
  private static final String UNHANDLED = "Unhandled exception";

  private final CountDownLatch go = new CountDownLatch(1);
  private final List<String> unhandled = new CopyOnWriteArrayList<>();
  private final Logger root = Logger.getLogger("");
  private final Handler listening =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          if (String.valueOf(entry.getMessage()).startsWith(UNHANDLED)) {
            unhandled.add(String.valueOf(entry.getThrown()));
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private Upstream upstream;

  @BeforeEach
  void listen() throws IOException {
    root.addHandler(listening);
    upstream =
        started(
            new Upstream(
                (asked, socket) ->
                    (asked.line().startsWith("GET") || go.await(60, TimeUnit.SECONDS))
                        && Upstream.write(socket, 201, "at last")));
  }

  @AfterEach
  void stopListening() {
    root.removeHandler(listening);
  }

  private Gateway gateway(Duration answerWithin) {
    GatewayConfig config =
        config(upstream.url()).h2c(true).limits(limits().answerTimeout(answerWithin)).build();
    return started(
        Gateway.start(config, Intercepted.store(store, (method, inside) -> inside.call())));
  }

  /** Sends a request on stream 1 of a connection of HTTP/2. */
  private Http2Wire post(Gateway gateway) throws IOException {
    HostileClient client = HostileClient.h2c(gateway);
    Http2Wire wire = started(client.http2());
    client.begin(wire, "POST", "/payments", false, "idempotency-key", key);
    return wire.data(1, true, HostileClient.bytes("{\"amount\":1}"));
  }

  /** Lets the answer come: it is recorded, and every event loop does what it has to do with it. */
  private void assertRecordedAndNothingThrown(Gateway gateway) throws Exception {
    go.countDown();
    until(() -> Wire.call(port(gateway), Wire.post("/payments", key)).isReplayed());
    for (int i = 0; i < 2 * gateway.loops(); i++) {
      assertThat(Wire.call(port(gateway), Wire.get("/x", "")).status()).isEqualTo(201);
    }
    assertThat(upstream.count("POST")).isEqualTo(1);
    assertThat(unhandled).isEmpty();
  }

  @Test
  void anAnswerComesAfterAnotherWasGiven() throws Exception {
    Gateway gateway = gateway(Duration.ofMillis(300));
    try (Wire wire = new Wire(port(gateway))) {
      assertThat(wire.send(Wire.post("/payments", key)).read().problem())
          .isEqualTo("upstream-silent");

      assertRecordedAndNothingThrown(gateway);
    }
  }

  @Test
  void anAnswerComesAfterAnotherWasGivenOnHttp2() throws Exception {
    Gateway gateway = gateway(Duration.ofMillis(300));
    assertThat(post(gateway).read(1).problem()).isEqualTo("upstream-silent");

    assertRecordedAndNothingThrown(gateway);
  }

  @Test
  void anAnswerComesAfterItsConnectionClosed() throws Exception {
    Gateway gateway = gateway(Duration.ofMinutes(1));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      until(() -> upstream.count("POST") == 1);
    }

    until(() -> gateway.metrics().open().get() == 0);
    assertRecordedAndNothingThrown(gateway);
  }

  @Test
  void anAnswerComesAfterItsStreamOfHttp2WasReset() throws Exception {
    Gateway gateway = gateway(Duration.ofMinutes(1));
    Http2Wire wire = post(gateway);
    until(() -> upstream.count("POST") == 1);
    wire.reset(1);

    until(() -> gateway.metrics().open().get() == 0);
    assertRecordedAndNothingThrown(gateway);
  }
}
