// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
        config(upstream.url()).limits(limits().answerTimeout(answerWithin)).build();
    return started(
        Gateway.start(config, Intercepted.store(store, (method, inside) -> inside.call())));
  }

  private HttpRequest post(Gateway gateway) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port(gateway) + "/payments"))
        .header("Idempotency-Key", key)
        .POST(HttpRequest.BodyPublishers.ofString("{\"amount\":1}"))
        .build();
  }

  /** Returns a client whose connection to the gateway is one of HTTP/2. */
  private static HttpClient http2(Gateway gateway) throws Exception {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    URI base = URI.create("http://127.0.0.1:" + port(gateway));
    client.send(HttpRequest.newBuilder(base).build(), BodyHandlers.discarding());
    return client;
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
    HttpClient client = http2(gateway);
    assertThat(client.send(post(gateway), BodyHandlers.ofString()).body())
        .contains("upstream-silent");

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
    HttpClient client = http2(gateway);
    CompletableFuture<HttpResponse<Void>> sent =
        client.sendAsync(post(gateway), BodyHandlers.discarding());
    until(() -> upstream.count("POST") == 1);
    sent.cancel(true);

    until(() -> gateway.metrics().open().get() == 0);
    assertRecordedAndNothingThrown(gateway);
  }
}
