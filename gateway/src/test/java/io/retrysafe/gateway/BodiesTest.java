// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.http.HttpPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Bodies that are large, slow or never end, in both directions. */
class BodiesTest extends GatewayTests {
  private static final int LARGE = 5 * 1024 * 1024;

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private byte[] request(String method, String path, byte[] body) {
    byte[] head =
        (method
                + " "
                + path
                + " HTTP/1.1\r\nHost: test\r\nIdempotency-Key: "
                + key
                + "\r\nContent-Length: "
                + body.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    byte[] whole = Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, whole, head.length, body.length);
    return whole;
  }

  private Wire.Reply call(Gateway gateway, byte[] request) throws IOException {
    try (Wire wire = new Wire(port(gateway))) {
      return wire.send(request).read();
    }
  }

  private Upstream echo() throws IOException {
    return started(
        new Upstream(
            (asked, socket) -> {
              Upstream.write(
                  socket, "HTTP/1.1 200 OK\r\nContent-Length: " + asked.body().length + "\r\n\r\n");
              socket.getOutputStream().write(asked.body());
              return true;
            }));
  }

  @Test
  void bodiesPassByteForByteWhateverTheirSize() throws Exception {
    Upstream upstream = echo();
    Gateway gateway = gateway(upstream);

    for (int size : new int[] {0, 1, 65_536, 1024 * 1024, 1024 * 1024 + 1, LARGE}) {
      byte[] body = random(size);
      byte[] guarded = request("POST", "/payments/" + size, body);
      Wire.Reply first = call(gateway, guarded);
      Wire.Reply again = call(gateway, guarded);
      Wire.Reply passed = call(gateway, request("GET", "/" + size, body));

      assertThat(first.body()).as("%d bytes", size).isEqualTo(body);
      assertThat(passed.body()).as("%d bytes", size).isEqualTo(body);
      if (size <= 1024 * 1024) {
        assertThat(again.isReplayed()).isTrue();
        assertThat(again.body()).isEqualTo(body);
      } else {
        assertThat(again.problem()).isEqualTo("answer-not-kept");
      }
    }
    assertThat(upstream.count("POST")).isEqualTo(6);
  }

  /** Returns how many files of bodies this process has open; removed ones count. */
  private static long openFiles() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(each -> target(each).contains("retrysafe-body")).count();
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return "closed meanwhile";
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theFileOfABodyIsClosedWhetherItWasSentOrNot() throws Exception {
    Upstream upstream = echo();
    Gateway gateway = gateway(upstream);

    assertThat(call(gateway, request("POST", "/sent", random(LARGE))).status()).isEqualTo(200);
    until(() -> openFiles() == 0);

    upstream.close();
    assertThat(call(gateway, request("POST", "/unsent", random(LARGE))).status()).isEqualTo(502);
    until(() -> openFiles() == 0);
  }

  @Test
  void aLargeAnswerWaitsForItsReader() throws Exception {
    AtomicLong written = new AtomicLong();
    byte[] part = random(64 * 1024);
    int parts = 2000;
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(
                      socket,
                      "HTTP/1.1 200 OK\r\nContent-Length: "
                          + (long) parts * part.length
                          + "\r\n\r\n");
                  for (int i = 0; i < parts; i++) {
                    socket.getOutputStream().write(part);
                    written.addAndGet(part.length);
                  }
                  return true;
                }));
    Gateway gateway = gateway(upstream);
    for (String request : new String[] {Wire.post("/payments", key), Wire.get("/x", "")}) {
      written.set(0);
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(gateway))) {
        socket.setReceiveBufferSize(64 * 1024);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        until(() -> written.get() > 0);
        long before = -1;
        while (before != written.get()) {
          before = written.get();
          Thread.sleep(300);
        }
        assertThat(written.get()).as("held back").isLessThan((long) parts * part.length / 2);
        assertThat(socket.getInputStream().readNBytes(parts * part.length)).isNotEmpty();
      }
    }
    until(
        () ->
            Wire.call(port(gateway), Wire.post("/payments", key))
                .problem()
                .equals("answer-not-kept"));
    assertThat(upstream.count("POST")).isEqualTo(1);
  }

  @Test
  void aStreamThatBreaksOffIsSeenToAndLeavesTheOutcomeUnknown() throws Exception {
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(
                      socket, "HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n");
                  socket.getOutputStream().write(random(LARGE / 2));
                  return false;
                }));
    Gateway gateway = gateway(upstream);

    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      assertThat(org.assertj.core.api.Assertions.catchThrowable(wire::read))
          .isInstanceOf(IOException.class);
    }

    until(
        () ->
            Wire.call(port(gateway), Wire.post("/payments", key))
                .problem()
                .equals("outcome-unknown"));
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void aReaderThatStopsIsCutOffAndTheAnswerStillCounts() throws Exception {
    byte[] large = random(8 * LARGE);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(
                      socket, "HTTP/1.1 200 OK\r\nContent-Length: " + large.length + "\r\n\r\n");
                  socket.getOutputStream().write(large);
                  return true;
                }));
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofMillis(800))));
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(16 * 1024);
      socket.connect(gateway.address());
      socket
          .getOutputStream()
          .write(Wire.post("/payments", key).getBytes(StandardCharsets.ISO_8859_1));

      until(
          () ->
              Wire.call(port(gateway), Wire.post("/payments", key))
                  .problem()
                  .equals("answer-not-kept"));
    }
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void aStreamThatFallsSilentIsCutOff() throws Exception {
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(
                      socket, "HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\nbegin");
                  // Until the gateway closes.
                  return socket.getInputStream().read() >= 0;
                }));
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofMillis(500))));

    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      assertThat(org.assertj.core.api.Assertions.catchThrowable(wire::read))
          .isInstanceOf(IOException.class);
    }

    until(
        () ->
            Wire.call(port(gateway), Wire.post("/payments", key))
                .problem()
                .equals("outcome-unknown"));
  }

  @Test
  void routesHaveLimitsOfTheirOwn() throws Exception {
    Upstream upstream = echo();
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.route(
                    GatewayRoute.create("POST /small").policy(HttpPolicy.create().bodyLimit(10))));

    assertThat(call(gateway, request("POST", "/small", random(11))).problem())
        .isEqualTo("body-too-large");
    assertThat(call(gateway, request("POST", "/small", random(10))).status()).isEqualTo(200);
    assertThat(call(gateway, request("POST", "/other", random(11))).status()).isEqualTo(200);
  }

  @Test
  void slowBodiesSlowHeadsAndIdleConnectionsAreClosed() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.limits(
                    limits()
                        .bodyTimeout(Duration.ofMillis(400))
                        .headTimeout(Duration.ofMillis(400))));
    String whole = Wire.post("/payments", key);
    for (String start :
        new String[] {"", "P", "POST /payments HT", whole.substring(0, whole.length() - 3)}) {
      try (Wire wire = new Wire(port(gateway))) {
        wire.send(start);
        assertThat(wire.isClosed()).as("after \"%s\"", start).isTrue();
      }
    }
    try (Wire wire = new Wire(port(gateway))) {
      assertThat(wire.send(Wire.get("/x", "")).read().status()).isEqualTo(201);
      assertThat(wire.isClosed()).isTrue();
    }
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.get("/x", ""));
      wire.read();
      wire.send("GET /x HT");
      assertThat(wire.isClosed()).isTrue();
    }
    assertThat(upstream.count("POST")).isZero();
  }

  @Test
  void aRequestThatIsWorkedOnKeepsItsConnection() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(go, 201, "slow"));
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.limits(
                    limits()
                        .bodyTimeout(Duration.ofMillis(200))
                        .headTimeout(Duration.ofMillis(200))));
    try (Wire guarded = new Wire(port(gateway));
        Wire passing = new Wire(port(gateway))) {
      guarded.send(Wire.post("/payments", key));
      passing.send(Wire.get("/x", ""));
      until(() -> upstream.asked().size() == 2);
      // Both event loops have closed connections that came later and did nothing, twice.
      for (int i = 0; i < 2 * gateway.loops(); i++) {
        try (Wire idle = new Wire(port(gateway))) {
          assertThat(idle.isClosed()).isTrue();
        }
      }
      go.countDown();

      assertThat(guarded.read().text()).isEqualTo("slow");
      assertThat(passing.read().text()).isEqualTo("slow");
    }
  }
}
