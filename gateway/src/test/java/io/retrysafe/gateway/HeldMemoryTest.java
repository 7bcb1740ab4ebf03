// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Mode;
import io.retrysafe.gateway.internal.proxy.StreamedBodies;
import io.retrysafe.store.Store;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whatever way a request or its answer ends, what it held of the memory for all is given back. */
class HeldMemoryTest extends GatewayTests {
  private static final int LARGE = 3 * 1024 * 1024;
  private static final String HALF = "HTTP/1.1 201 Any\r\nContent-Length: 8\r\n\r\nhalf";

  private final CountDownLatch go = new CountDownLatch(1);
  private volatile boolean isBroken;

  /** Writes the beginning of an answer at once and the rest when it is told to. */
  private Upstream answering(String begin, byte[] rest) throws IOException {
    return started(
        new Upstream(
            (asked, socket) -> {
              Upstream.write(socket, begin);
              go.await(60, TimeUnit.SECONDS);
              socket.getOutputStream().write(rest);
              return false;
            }));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static long answers(Gateway gateway) {
    return gateway.metrics().answers().held();
  }

  private static long bodies(Gateway gateway) {
    return gateway.metrics().bodies().held();
  }

  private static void assertNothingHeld(Gateway gateway) throws Exception {
    until(() -> answers(gateway) == 0 && bodies(gateway) == 0);
  }

  private String again(Gateway gateway) throws IOException {
    Wire.Reply again = Wire.call(port(gateway), Wire.post("/payments", key));
    return again.isReplayed() ? "replayed" : again.problem();
  }

  @Test
  void ofAWholeAnswer() throws Exception {
    Gateway gateway = gateway(answering(HALF, bytes("done")));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      until(() -> answers(gateway) == 4 && bodies(gateway) == 12);
      go.countDown();

      assertThat(wire.read().text()).isEqualTo("halfdone");
    }
    assertNothingHeld(gateway);
  }

  @Test
  void ofAWholeAnswerWhoseClientHasGone() throws Exception {
    Gateway gateway = gateway(answering(HALF, bytes("done")));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      until(() -> answers(gateway) == 4);
    }
    until(() -> gateway.metrics().open().get() == 0);
    go.countDown();

    until(() -> again(gateway).equals("replayed"));
    assertNothingHeld(gateway);
  }

  @Test
  void ofAWholeAnswerThatCannotBeRecorded() throws Exception {
    Upstream upstream = answering(HALF, bytes("done"));
    Store broken =
        Intercepted.store(
            store,
            (method, inside) -> {
              if (isBroken && method.equals("complete")) {
                throw new IllegalStateException("a store with a fault");
              }
              return inside.call();
            });
    Gateway gateway = started(Gateway.start(config(upstream.url()).build(), broken));
    isBroken = true;
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      until(() -> answers(gateway) == 4);
      go.countDown();

      assertNothingHeld(gateway);
    }
  }

  /** Lets an answer come when the client was told that there is none. */
  private void assertNothingHeldOfALateAnswer(Upstream upstream, String recorded) throws Exception {
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofMillis(500))));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      assertThat(wire.read().problem()).isEqualTo("upstream-silent");
      go.countDown();

      until(() -> again(gateway).equals(recorded));
    }
    assertNothingHeld(gateway);
  }

  @Test
  void ofALateAnswer() throws Exception {
    assertNothingHeldOfALateAnswer(answering(HALF, bytes("done")), "replayed");
  }

  @Test
  void ofALateAnswerThatIsTooLarge() throws Exception {
    String begin = "HTTP/1.1 201 Any\r\nConnection: close\r\n\r\n";
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  go.await(60, TimeUnit.SECONDS);
                  Upstream.write(socket, begin);
                  socket.getOutputStream().write(new byte[LARGE]);
                  return false;
                }));

    assertNothingHeldOfALateAnswer(upstream, "answer-not-kept");
  }

  @Test
  void ofAnAnswerThatNeverEnds() throws Exception {
    Gateway gateway =
        gateway(
            answering(HALF, new byte[0]),
            c -> c.limits(limits().answerTimeout(Duration.ofMillis(100))));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      assertThat(wire.read().problem()).isEqualTo("upstream-silent");

      assertNothingHeld(gateway);
    }
    assertThat(again(gateway)).isEqualTo("outcome-unknown");
  }

  /** Lets the rest of an answer come when its beginning has left. */
  private void assertNothingHeldOfWhatLeaves(String rest, String recorded) throws Exception {
    String begin = "HTTP/1.1 201 Any\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n";
    Gateway gateway = gateway(answering(begin, bytes(rest)));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      assertThat(wire.line()).contains("201");

      assertThat(answers(gateway)).as("held of what has left").isZero();

      go.countDown();
      until(() -> again(gateway).equals(recorded));
    }
    assertNothingHeld(gateway);
  }

  @Test
  void ofAnAnswerThatLeavesAsItComes() throws Exception {
    assertNothingHeldOfWhatLeaves("4\r\ndone\r\n0\r\n\r\n", "answer-not-kept");
  }

  @Test
  void ofAnAnswerThatBreaksOffAfterItHasBegunToLeave() throws Exception {
    assertNothingHeldOfWhatLeaves("", "outcome-unknown");
  }

  @Test
  void ofAnAnswerThatGrowsTooLarge() throws Exception {
    Gateway gateway =
        gateway(answering("HTTP/1.1 201 Any\r\nConnection: close\r\n\r\nhalf", new byte[LARGE]));
    go.countDown();
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));

      assertThat(wire.line()).contains("201");
    }
    assertNothingHeld(gateway);
  }

  @Test
  void ofABodyThatIsTooLarge() throws Exception {
    GatewayRoute route = GatewayRoute.create("POST /payments");
    Gateway gateway =
        gateway(
            answering(HALF, bytes("done")),
            c -> c.route(route.policy(route.policy().bodyLimit(20))));
    try (Wire wire = new Wire(port(gateway))) {
      String chunk = "f\r\n" + "x".repeat(15) + "\r\n";
      wire.send(
          "POST /payments HTTP/1.1\r\nHost: test\r\nIdempotency-Key: "
              + key
              + "\r\nTransfer-Encoding: chunked\r\n\r\n"
              + chunk);
      until(() -> bodies(gateway) == 15);

      assertThat(wire.send(chunk + "0\r\n\r\n").read().problem()).isEqualTo("body-too-large");
    }
    assertNothingHeld(gateway);
  }

  @Test
  void ofABodyThatMovesToDisk() throws Exception {
    Upstream upstream = answering(HALF, bytes("done"));
    Gateway gateway = gateway(upstream, c -> c.limits(limits().bodiesMemory(50)));
    String request = Wire.post("/payments", key, "", "x".repeat(100));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(request.substring(0, request.length() - 60));
      until(() -> bodies(gateway) == 40);
      wire.send("x".repeat(60));
      until(() -> upstream.asked().size() == 1);

      assertThat(bodies(gateway)).isZero();

      go.countDown();
      assertThat(wire.read().text()).isEqualTo("halfdone");
    }
  }

  @Test
  void ofABodyThatIsAnsweredFromTheRecord() throws Exception {
    Upstream upstream = answering(HALF, bytes("done"));
    go.countDown();
    Gateway gateway = gateway(upstream);
    Wire.call(port(gateway), Wire.post("/payments", key));

    assertThat(again(gateway)).isEqualTo("replayed");
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key, "", "other")).problem())
        .isEqualTo("key-reused");

    assertNothingHeld(gateway);
  }

  @Test
  void ofABodyThatIsObservedAndGrowsTooLarge() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream, c -> c.mode(Mode.OBSERVE));
    String head =
        "POST /payments HTTP/1.1\r\nHost: test\r\nIdempotency-Key: "
            + key
            + "\r\nContent-Length: "
            + LARGE
            + "\r\n\r\n";
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(head).send(new byte[1000]);
      until(() -> bodies(gateway) == 1000);

      assertThat(wire.send(new byte[LARGE - 1000]).read().status()).isEqualTo(201);
    }
    assertNothingHeld(gateway);
    assertThat(gateway.metrics().text(true)).contains("not-observed\"} 1\n");
  }

  @Test
  void ofABodyThatIsObservedAndNeverEndsThoughItIsAnswered() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (ServerSocket early = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      started(over::countDown);
      THREADS.execute(() -> answerEarly(early, over));
      GatewayConfig config =
          config(URI.create("http://127.0.0.1:" + early.getLocalPort())).mode(Mode.OBSERVE).build();
      Gateway gateway = started(Gateway.start(config, store));
      String whole = Wire.post("/payments", key, "", "x".repeat(StreamedBodies.ENOUGH + 5));
      try (Wire wire = new Wire(port(gateway))) {
        wire.send(whole.substring(0, whole.length() - 5));
        until(() -> bodies(gateway) == StreamedBodies.ENOUGH);
        go.countDown();

        assertThat(wire.read().text()).isEqualTo("full");
        assertNothingHeld(gateway);
        wire.send("more");
      }
      until(() -> gateway.metrics().connections().sum() == 0);
      assertNothingHeld(gateway);
    }
  }

  /** Answers when it is told to, having read the head of a request and nothing of its body. */
  private void answerEarly(ServerSocket listener, CountDownLatch over) {
    try (Socket socket = listener.accept()) {
      InputStream in = socket.getInputStream();
      StringBuilder head = new StringBuilder();
      while (!head.toString().endsWith("\r\n\r\n")) {
        head.append((char) in.read());
      }
      go.await(60, TimeUnit.SECONDS);
      Upstream.write(socket, 507, "full");
      // Closed with something unread, it would take its answer back.
      over.await(60, TimeUnit.SECONDS);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
