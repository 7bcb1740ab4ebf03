// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Recovery;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.http.HttpPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Upstreams that fail in every way that a socket allows, and what their callers are told. */
class FailuresTest extends GatewayTests {

  private Wire.Reply call(Gateway gateway) throws IOException {
    return Wire.call(port(gateway), Wire.post("/payments", key));
  }

  private void assertUnknown(Wire.Reply reply) {
    assertThat(reply.status()).as("%s", reply).isEqualTo(409);
    assertThat(reply.problem()).isEqualTo("outcome-unknown");
  }

  private void assertSilent(Wire.Reply reply) {
    assertThat(reply.status()).as("%s", reply).isEqualTo(504);
    assertThat(reply.problem()).isEqualTo("upstream-silent");
  }

  @Test
  void anUpstreamThatCannotBeReachedLeavesTheKeyFree() throws Exception {
    Upstream gone = Upstream.charging();
    int port = gone.port();
    gone.close();
    Gateway gateway = gateway(gone);

    Wire.Reply first = call(gateway);

    assertThat(first.status()).isEqualTo(502);
    assertThat(first.problem()).isEqualTo("upstream-unreachable");
    started(new Upstream((asked, socket) -> Upstream.write(socket, 201, "charged"), port));
    assertThat(call(gateway).text()).isEqualTo("charged");
  }

  @Test
  void anUpstreamThatClosesAfterReadingSeesOneRequest() throws Exception {
    Upstream upstream = started(new Upstream((asked, socket) -> false));
    Gateway gateway = gateway(upstream);

    assertSilent(call(gateway));

    assertUnknown(call(gateway));
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void anUpstreamThatClosesAUsedConnectionAfterReadingSeesOneRequest() throws Exception {
    AtomicInteger count = new AtomicInteger();
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) ->
                    count.incrementAndGet() <= 4 && Upstream.write(socket, 201, "charged")));
    Gateway gateway = gateway(upstream);
    for (int i = 0; i < 4; i++) {
      assertThat(Wire.call(port(gateway), Wire.post("/payments", key + i)).status()).isEqualTo(201);
    }

    for (int i = 0; i < 4; i++) {
      assertSilent(Wire.call(port(gateway), Wire.post("/payments", key + "-" + i)));
      assertUnknown(Wire.call(port(gateway), Wire.post("/payments", key + "-" + i)));
    }

    assertThat(upstream.asked()).hasSize(8);
  }

  @Test
  void anIdleConnectionThatTheUpstreamClosedIsNotUsed() throws Exception {
    AtomicInteger closed = new AtomicInteger();
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(socket, 201, "charged");
                  socket.shutdownOutput();
                  // Until the gateway has noticed, and closes its end.
                  boolean isRead = socket.getInputStream().read() >= 0;
                  closed.addAndGet(isRead ? 0 : 1);
                  return false;
                }));
    Gateway gateway = gateway(upstream);

    for (int i = 0; i < 20; i++) {
      int calls = i + 1;
      assertThat(Wire.call(port(gateway), Wire.post("/payments", key + i)).status()).isEqualTo(201);
      until(() -> closed.get() == calls);
    }

    assertThat(upstream.asked()).hasSize(20);
  }

  @Test
  void anAnswerThatBreaksOffLeavesTheOutcomeUnknown() throws Exception {
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(socket, "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf");
                  return false;
                }));
    Gateway gateway = gateway(upstream);

    assertSilent(call(gateway));

    assertUnknown(call(gateway));
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void anAnswerThatIsNotHttpLeavesTheOutcomeUnknown() throws Exception {
    Upstream upstream =
        started(new Upstream((asked, socket) -> Upstream.write(socket, "what?\r\n\r\n")));
    Gateway gateway = gateway(upstream);

    assertSilent(call(gateway));

    assertUnknown(call(gateway));
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void aLateAnswerSettlesWhatTheCallerWasToldIsUnknown() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(go, 201, "at last"));
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofSeconds(1))));

    assertSilent(call(gateway));
    assertUnknown(call(gateway));

    go.countDown();

    until(() -> call(gateway).isReplayed());
    assertThat(call(gateway).text()).isEqualTo("at last");
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void whereTheRouteSaysSoAnUnknownOutcomeIsRunAgain() throws Exception {
    AtomicInteger count = new AtomicInteger();
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) ->
                    count.incrementAndGet() > 1 && Upstream.write(socket, 201, "again")));
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.route(
                    GatewayRoute.create("POST /payments")
                        .policy(HttpPolicy.create().recovery(Recovery.rerun()))));

    assertSilent(call(gateway));

    assertThat(call(gateway).text()).isEqualTo("again");
    assertThat(upstream.asked()).hasSize(2);
    assertThat(call(gateway).isReplayed()).isTrue();
  }

  @Test
  void badGatewaysBehindTheGatewayLeaveTheOutcomeUnknown() throws Exception {
    Upstream upstream = started(new Upstream((asked, s) -> Upstream.write(s, 504, "timeout")));
    Gateway gateway = gateway(upstream);

    assertThat(call(gateway).text()).isEqualTo("timeout");

    assertUnknown(call(gateway));
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void redirectsAreTheClientsToFollow() throws Exception {
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) ->
                    Upstream.write(
                        socket,
                        String.join(
                            "\r\n",
                            "HTTP/1.1 307 Elsewhere",
                            "Location: http://127.0.0.1:1/x",
                            "Content-Length: 0",
                            "",
                            ""))));
    Gateway gateway = gateway(upstream);

    assertThat(call(gateway).header("Location")).contains("http://127.0.0.1:1/x");
    assertThat(call(gateway).isReplayed()).isTrue();
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void requestsThatPassAreToldTheSameProblems() throws Exception {
    Upstream closing = started(new Upstream((asked, socket) -> false));
    Gateway gateway = gateway(closing);
    assertSilent(Wire.call(port(gateway), Wire.get("/x", "")));
    assertThat(closing.asked()).hasSize(1);
    closing.close();

    Wire.Reply reply = Wire.call(port(gateway), Wire.get("/x", ""));

    assertThat(reply.problem()).isEqualTo("upstream-unreachable");
  }

  @Test
  void aConnectionGoesOnAfterABodyForAnUpstreamThatCannotBeReached() throws Exception {
    Upstream gone = Upstream.charging();
    gone.close();
    Gateway gateway = gateway(gone);
    try (Wire wire = new Wire(port(gateway))) {
      for (int i = 0; i < 3; i++) {
        wire.send("PUT /x HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\n0123456789");

        assertThat(wire.read().problem()).isEqualTo("upstream-unreachable");
      }
    }
  }

  @Test
  void aBodyThatPassesAndBreaksOffIsNotWaitedFor() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    try (ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      THREADS.execute(() -> readToTheEnd(listener, closed));
      URI url = URI.create("http://127.0.0.1:" + listener.getLocalPort());
      Gateway gateway =
          started(
              Gateway.start(
                  config(url).limits(limits().answerTimeout(Duration.ofHours(1))).build(), store));
      try (Wire wire = new Wire(port(gateway))) {
        wire.send("PUT /x HTTP/1.1\r\nHost: test\r\nContent-Length: 100000\r\n\r\n");
        wire.send("x".repeat(50_000));
        until(() -> gateway.metrics().open().get() == 1);
      }

      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void readToTheEnd(ServerSocket listener, CountDownLatch closed) {
    try (Socket socket = listener.accept()) {
      InputStream in = socket.getInputStream();
      for (int c = in.read(); c >= 0; c = in.read()) {
        // More may come.
      }
    } catch (IOException e) {
      // Closed in another way.
    }
    closed.countDown();
  }

  @Test
  void theAnswerToAClientThatWentAwayIsRecorded() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    Gateway gateway = gateway(upstream);
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      until(() -> upstream.asked().size() == 1);
    }

    go.countDown();

    until(() -> call(gateway).isReplayed());
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void aClientThatLeavesWithinItsBodyHoldsNothing() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream);
    String whole = Wire.post("/payments", key);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(gateway))) {
      socket.getOutputStream().write(whole.substring(0, whole.length() - 3).getBytes(UTF_8));
    }

    assertThat(call(gateway).status()).isEqualTo(201);
  }
}
