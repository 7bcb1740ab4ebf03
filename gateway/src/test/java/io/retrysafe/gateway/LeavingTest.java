// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers that meet nobody, or come before they are due. Whatever happens, nothing throws. */
class LeavingTest extends GatewayTests {
  private static final int LARGE = 3 * 1024 * 1024;

  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final AtomicInteger brokenOff = new AtomicInteger();
  private final Logger root = Logger.getLogger("");
  private final Handler listening =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          String message = String.valueOf(entry.getMessage());
          if (message.startsWith("Unhandled exception") || message.startsWith("a request of")) {
            errors.add(message + " " + entry.getThrown());
          } else if (message.contains("broke off")) {
            brokenOff.incrementAndGet();
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    root.addHandler(listening);
  }

  @AfterEach
  void nothingThrew() {
    root.removeHandler(listening);
    assertThat(errors).isEmpty();
  }

  @Test
  void aLargeAnswerWhoseClientWentBeforeItBeganCounts() throws Exception {
    for (String length : new String[] {"Content-Length: " + LARGE, "Connection: close"}) {
      CountDownLatch go = new CountDownLatch(1);
      Upstream upstream =
          started(
              new Upstream(
                  (asked, socket) -> {
                    go.await(60, TimeUnit.SECONDS);
                    Upstream.write(socket, "HTTP/1.1 200 OK\r\n" + length + "\r\n\r\n");
                    socket.getOutputStream().write(new byte[LARGE]);
                    return false;
                  }));
      Gateway gateway = gateway(upstream);
      String request = Wire.post("/payments", key + length.length());
      try (Wire wire = new Wire(port(gateway))) {
        wire.send(request);
        until(() -> upstream.asked().size() == 1);
      }
      until(() -> gateway.metrics().open().get() == 0);
      go.countDown();

      until(() -> Wire.call(port(gateway), request).problem().equals("answer-not-kept"));
      assertThat(upstream.asked()).hasSize(1);
    }
  }

  @Test
  void anAnswerThatComesLateIsRecordedAndNotSent() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(go, 201, "at last"));
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofMillis(500))));
    String request = Wire.post("/payments", key);
    try (Wire wire = new Wire(port(gateway))) {
      assertThat(wire.send(request).read().problem()).isEqualTo("upstream-silent");
      go.countDown();
      until(() -> Wire.call(port(gateway), request).isReplayed());
      assertThat(wire.send(request).read().text()).isEqualTo("at last");
    }
  }

  @Test
  void anAnswerWhoseClientWentIsRecordedAndCountsAsNoFailure() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    Gateway gateway = gateway(upstream);
    String request = Wire.post("/payments", key);
    try (Wire guarded = new Wire(port(gateway));
        Wire passing = new Wire(port(gateway))) {
      guarded.send(request);
      passing.send(Wire.get("/x", ""));
      until(() -> upstream.asked().size() == 2);
    }
    until(() -> gateway.metrics().open().get() == 0);
    go.countDown();

    until(() -> Wire.call(port(gateway), request).isReplayed());
    assertThat(gateway.metrics().requests().get("other requests"))
        .doesNotContainKey("upstream-silent");
  }

  @Test
  void aLargeAnswerWhoseStreamOfHttp2WasResetCounts() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  if (asked.head().startsWith("POST")) {
                    go.await(60, TimeUnit.SECONDS);
                  }
                  Upstream.write(
                      socket, "HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n");
                  socket.getOutputStream().write(new byte[LARGE]);
                  return true;
                }));
    Gateway gateway = gateway(upstream, c -> c.h2c(true));
    HostileClient client = HostileClient.h2c(gateway);
    Http2Wire wire = started(client.http2());
    client.begin(wire, "POST", "/payments", false, "idempotency-key", key);
    wire.data(1, true, HostileClient.bytes("{\"amount\":1}"));
    until(() -> upstream.count("POST") == 1);
    wire.reset(1);
    until(() -> gateway.metrics().open().get() == 0);
    go.countDown();

    until(
        () ->
            Wire.call(port(gateway), Wire.post("/payments", key))
                .problem()
                .equals("answer-not-kept"));
    assertThat(upstream.count("POST")).isEqualTo(1);
  }

  @Test
  void anAnswerThatFallsSilentIsGivenUpOnce() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(
                      socket, "HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\nbegin");
                  if (socket.getInputStream().read() < 0) {
                    closed.countDown();
                  }
                  return false;
                }));
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofMillis(300))));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));

      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    }
    until(
        () ->
            Wire.call(port(gateway), Wire.post("/payments", key))
                .problem()
                .equals("outcome-unknown"));
    assertThat(brokenOff).hasValue(1);
  }

  @Test
  void aLargeAnswerWhoseClientGoesInTheMiddleCounts() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(
                      socket, "HTTP/1.1 200 OK\r\nContent-Length: " + 2 * LARGE + "\r\n\r\n");
                  socket.getOutputStream().write(new byte[LARGE]);
                  go.await(60, TimeUnit.SECONDS);
                  socket.getOutputStream().write(new byte[LARGE]);
                  return true;
                }));
    Gateway gateway = gateway(upstream);
    String request = Wire.post("/payments", key);
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(request);
      assertThat(wire.line()).contains("200");
    }
    until(() -> gateway.metrics().open().get() == 0);
    go.countDown();

    until(() -> Wire.call(port(gateway), request).problem().equals("answer-not-kept"));
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void anAnswerThatComesBeforeTheBodyWasReadCounts() throws Exception {
    try (ServerSocket early = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      CountDownLatch over = new CountDownLatch(1);
      started(over::countDown);
      THREADS.execute(() -> answerEarly(early, over));
      GatewayConfig config = config(URI.create("http://127.0.0.1:" + early.getLocalPort())).build();
      Gateway gateway = started(Gateway.start(config, store));
      byte[] body = new byte[12 * 1024 * 1024];
      String head =
          "POST /payments HTTP/1.1\r\nHost: test\r\nIdempotency-Key: "
              + key
              + "\r\nContent-Length: "
              + body.length
              + "\r\n\r\n";
      try (Wire wire = new Wire(port(gateway))) {
        wire.send(head).send(body);

        assertThat(wire.read().text()).isEqualTo("full");
      }
      try (Wire wire = new Wire(port(gateway))) {
        wire.send(head).send(body);

        assertThat(wire.read().isReplayed()).isTrue();
      }
    }
  }

  /** Answers once, having read the head of a request and nothing of its body. */
  private static void answerEarly(ServerSocket listener, CountDownLatch over) {
    try (Socket socket = listener.accept()) {
      InputStream in = socket.getInputStream();
      StringBuilder head = new StringBuilder();
      while (!head.toString().endsWith("\r\n\r\n")) {
        head.append((char) in.read());
      }
      socket
          .getOutputStream()
          .write(
              "HTTP/1.1 507 Full\r\nContent-Length: 4\r\n\r\nfull"
                  .getBytes(StandardCharsets.ISO_8859_1));
      // Closed with something unread, it would take its answer back.
      over.await(60, TimeUnit.SECONDS);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
