// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.internal.proxy.StreamedBodies;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How connections to upstreams are used: again if nothing speaks against it, never for two. */
class UpstreamsTest extends GatewayTests {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final Set<Integer> used = ConcurrentHashMap.newKeySet();
  private final CountDownLatch go = new CountDownLatch(1);

  /** An upstream that remembers how many connections were used. */
  private Upstream upstream(Upstream.Behaviour behaviour) throws IOException {
    return started(
        new Upstream(
            (asked, socket) -> {
              used.add(socket.getPort());
              return behaviour.answer(asked, socket);
            }));
  }

  private static boolean answer(Socket socket, String head) throws IOException {
    return Upstream.write(socket, head + "\r\nContent-Length: 2\r\n\r\nok");
  }

  private List<Wire> wires(Gateway gateway, int count) throws IOException {
    List<Wire> wires = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      wires.add(started(new Wire(port(gateway))));
    }
    return wires;
  }

  private void assertServed(Wire wire) throws IOException {
    assertThat(wire.send(Wire.get("/x", "")).read().text()).isEqualTo("ok");
  }

  @Test
  void oneConnectionCarriesOneRequestAfterTheOther() throws Exception {
    Upstream upstream = upstream((asked, socket) -> Upstream.write(socket, OK));
    try (Wire wire = new Wire(port(gateway(upstream)))) {
      for (int i = 0; i < 10; i++) {
        assertServed(wire);
      }
    }

    assertThat(used).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1 200 OK\r\nConnection: close", "HTTP/1.0 200 OK"})
  void aConnectionThatTheUpstreamWillCloseIsNotUsedAgain(String head) throws Exception {
    Upstream upstream = upstream((asked, socket) -> answer(socket, head));
    try (Wire wire = new Wire(port(gateway(upstream)))) {
      assertServed(wire);
      assertServed(wire);
    }

    assertThat(used).hasSize(2);
    until(() -> upstream.connections() == 0);
  }

  @Test
  void aConnectionThatWasIdleForTooLongIsNotUsedAgain() throws Exception {
    Upstream upstream = upstream((asked, socket) -> Upstream.write(socket, OK));
    Gateway gateway = gateway(upstream, c -> c.limits(limits().upstreamIdle(Duration.ofNanos(1))));
    try (Wire wire = new Wire(port(gateway))) {
      assertServed(wire);
      assertServed(wire);
    }

    assertThat(used).hasSize(2);
  }

  @Test
  void aConnectionThatNobodyUsesIsClosed() throws Exception {
    Upstream upstream = upstream((asked, socket) -> Upstream.write(socket, OK));
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().upstreamIdle(Duration.ofMillis(100))));
    try (Wire wire = new Wire(port(gateway))) {
      assertServed(wire);

      until(() -> upstream.connections() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 2",
        "x"
      })
  void whatFollowsAnAnswerUnaskedIsNotTheNextAnswer(String unasked) throws Exception {
    Upstream upstream =
        upstream(
            (asked, socket) -> {
              go.await(60, TimeUnit.SECONDS);
              return Upstream.write(socket, OK + unasked);
            });
    // One connection for each event loop, so that there is always somebody who waits for it.
    Gateway gateway = gateway(upstream, c -> c.limits(limits().upstreamConnections(1)));
    List<Wire> wires = wires(gateway, 12);
    for (Wire wire : wires) {
      wire.send(Wire.get("/x", ""));
    }
    until(() -> gateway.metrics().open().get() == wires.size());
    go.countDown();

    for (Wire wire : wires) {
      assertThat(wire.read().text()).isEqualTo("ok");
    }
    assertThat(used).hasSize(wires.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1 200 OK\r\nX-A: ", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 2", "x"})
  void aConnectionOnWhichSomethingComesUnaskedIsClosed(String unasked) throws Exception {
    Upstream upstream =
        upstream(
            (asked, socket) -> {
              Upstream.write(socket, OK);
              go.await(60, TimeUnit.SECONDS);
              return Upstream.write(socket, unasked);
            });
    // Not because nobody used it for so long.
    Limits patient = limits().upstreamIdle(Duration.ofMinutes(10));
    try (Wire wire = new Wire(port(gateway(upstream, c -> c.limits(patient))))) {
      assertServed(wire);
      go.countDown();

      until(() -> upstream.connections() == 0);
      assertServed(wire);
    }
  }

  @Test
  void interimAnswersAreNotTheAnswer() throws Exception {
    String interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    Upstream upstream = upstream((asked, socket) -> Upstream.write(socket, interim + OK));
    try (Wire wire = new Wire(port(gateway(upstream)))) {
      assertServed(wire);
      Wire.Reply reply = wire.send(Wire.post("/payments", key)).read();

      assertThat(reply.text()).isEqualTo("ok");
      assertThat(reply.header("Link")).isEmpty();
    }
  }

  @Test
  void anUpstreamThatSwitchesProtocolsHasNotAnswered() throws Exception {
    Upstream upstream =
        upstream(
            (asked, socket) ->
                Upstream.write(socket, "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"));
    // Not because it was silent for so long.
    Limits patient = limits().answerTimeout(Duration.ofMinutes(10));
    Gateway gateway = gateway(upstream, c -> c.limits(patient));

    assertThat(Wire.call(port(gateway), Wire.get("/x", "")).problem()).isEqualTo("upstream-silent");
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).problem())
        .isEqualTo("upstream-silent");
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).problem())
        .isEqualTo("outcome-unknown");
  }

  @ParameterizedTest
  @ValueSource(strings = {"200 OK", "304 Not Modified"})
  void whatHasALengthAndNoBodyIsWhole(String status) throws Exception {
    String method = status.startsWith("200") ? "HEAD" : "GET";
    Upstream upstream =
        upstream(
            (asked, socket) ->
                asked.line().contains("/bodiless")
                    ? Upstream.write(socket, "HTTP/1.1 " + status + "\r\nContent-Length: 9\r\n\r\n")
                    : Upstream.write(socket, OK));
    try (Wire wire = new Wire(port(gateway(upstream)))) {
      wire.send(method + " /bodiless HTTP/1.1\r\nHost: test\r\n\r\n");
      assertThat(wire.line()).contains(status.substring(0, 3));
      for (String line = wire.line(); !line.isEmpty(); line = wire.line()) {
        assertThat(line).isNotEmpty();
      }
      assertServed(wire);
    }

    assertThat(used).hasSize(1);
  }

  @Test
  void aClientThatGoesAfterItsAnswerTakesNothingWithIt() throws Exception {
    Upstream upstream =
        upstream(
            (asked, socket) -> {
              if (asked.line().contains("/held")) {
                go.await(60, TimeUnit.SECONDS);
              }
              return Upstream.write(socket, OK);
            });
    Gateway gateway = gateway(upstream);
    List<Wire> first = wires(gateway, 4);
    List<Wire> second = wires(gateway, 4);
    for (Wire wire : first) {
      assertServed(wire);
    }
    for (Wire wire : second) {
      wire.send(Wire.get("/held", ""));
    }
    until(() -> upstream.asked().size() == 8);
    for (Wire wire : first) {
      wire.close();
    }
    until(() -> gateway.metrics().connections().sum() == second.size());
    go.countDown();

    for (Wire wire : second) {
      assertThat(wire.read().text()).isEqualTo("ok");
    }
  }

  @Test
  void anUpstreamLearnsThatAClientHasGone() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      THREADS.execute(() -> readToTheEnd(listener, closed));
      URI url = URI.create("http://127.0.0.1:" + listener.getLocalPort());
      Limits patient = limits().answerTimeout(Duration.ofMinutes(10));
      Gateway gateway = started(Gateway.start(config(url).limits(patient).build(), store));
      try (Wire wire = new Wire(port(gateway))) {
        wire.send(Wire.get("/x", ""));
        until(() -> gateway.metrics().open().get() == 1);
      }

      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Reads a connection until its other side closes it. */
  private static void readToTheEnd(ServerSocket listener, CountDownLatch closed) {
    try (Socket socket = listener.accept()) {
      socket.getInputStream().readAllBytes();
    } catch (IOException e) {
      // It was reset, which is an end too.
    }
    closed.countDown();
  }

  @Test
  void whatNobodyWaitsForAnyMoreIsNotSent() throws Exception {
    Upstream upstream =
        upstream(
            (asked, socket) -> {
              go.await(60, TimeUnit.SECONDS);
              return Upstream.write(socket, OK);
            });
    Gateway gateway = gateway(upstream, c -> c.limits(limits().upstreamConnections(1)));
    int loops = gateway.loops();
    List<Wire> first = wires(gateway, loops);
    List<Wire> gone = wires(gateway, loops);
    for (Wire wire : first) {
      wire.send(Wire.get("/x", ""));
    }
    until(() -> upstream.asked().size() == loops);
    for (Wire wire : gone) {
      wire.send(Wire.get("/gone", ""));
    }
    until(() -> gateway.metrics().open().get() == 2 * loops);
    for (Wire wire : gone) {
      wire.close();
    }
    until(() -> gateway.metrics().connections().sum() == loops);
    go.countDown();

    for (Wire wire : first) {
      assertThat(wire.read().text()).isEqualTo("ok");
      assertServed(wire);
    }
    assertThat(upstream.asked()).noneMatch(asked -> asked.line().contains("/gone"));
  }

  @Test
  void aConnectionWithHalfARequestOnItIsNotUsedAgain() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      THREADS.execute(() -> answerHeads(listener));
      URI url = URI.create("http://127.0.0.1:" + listener.getLocalPort());
      Gateway gateway = started(Gateway.start(config(url).build(), store));
      try (Wire wire = new Wire(port(gateway))) {
        wire.send("PUT /x HTTP/1.1\r\nHost: test\r\nContent-Length: 20000000\r\n\r\n");
        wire.send(new byte[StreamedBodies.ENOUGH]);
        assertThat(wire.read().text()).isEqualTo("ok");

        // What is left of the body goes nowhere, and the client's connection goes on.
        wire.send(new byte[20_000_000 - StreamedBodies.ENOUGH]);
        assertServed(wire);
      }
    }
    assertThat(used).hasSize(2);
  }

  /** Answers every connection's first head and reads nothing more. */
  private void answerHeads(ServerSocket listener) {
    try {
      while (true) {
        Socket socket = listener.accept();
        started(socket);
        used.add(socket.getPort());
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
          head.append((char) socket.getInputStream().read());
        }
        Upstream.write(socket, OK);
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  @Test
  void bytesBeyondAsciiPassAsTheyCame() throws Exception {
    Upstream upstream = upstream((asked, socket) -> Upstream.write(socket, OK));
    String name = "X-Name: caf\u00c3\u00a9 \u00ff\r\n";
    Gateway gateway = gateway(upstream);

    Wire.call(port(gateway), Wire.get("/x", name));
    Wire.call(port(gateway), Wire.post("/payments", key, name, "{}"));

    assertThat(upstream.asked().get(0).all("X-Name")).containsExactly("caf\u00c3\u00a9 \u00ff");
    assertThat(upstream.asked().get(1).all("X-Name")).containsExactly("caf\u00c3\u00a9 \u00ff");
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-A: a\rb", "X-A: a\u0000b", "X-A: a\u0007b", "X-A: a\u007fb", "X A: a"})
  void headersThatSomebodyCouldReadInAnotherWayAreRefused(String line) throws Exception {
    Upstream upstream = upstream((asked, socket) -> Upstream.write(socket, OK));
    Gateway gateway = gateway(upstream);

    for (String request :
        List.of(Wire.get("/x", line + "\r\n"), Wire.post("/payments", key, line + "\r\n", "{}"))) {
      try (Wire wire = new Wire(port(gateway))) {
        assertThat(wire.send(request).read().status()).as(request).isEqualTo(400);
        assertThat(wire.isClosed()).isTrue();
      }
    }
    assertThat(upstream.asked()).isEmpty();
  }
}
