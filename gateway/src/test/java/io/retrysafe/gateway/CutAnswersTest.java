// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An upstream's answer that is cut at every byte: nothing of it reaches another request, and no
 * request is sent twice.
 */
class CutAnswersTest extends GatewayTests {
  private static final String CUT = "/cut/";

  private final AtomicInteger served = new AtomicInteger();

  private static String answer(boolean isChunked, String body) {
    return isChunked
        ? "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n"
            + Integer.toHexString(body.length())
            + "\r\n"
            + body
            + "\r\n0\r\nT: x\r\n\r\n"
        : "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body;
  }

  /** Answers {@code /cut/N} with the first N bytes of an answer, and all others with their own. */
  private Upstream cutting(boolean isChunked) throws Exception {
    return started(
        new Upstream(
            (asked, socket) -> {
              String path = asked.line().split(" ", -1)[1];
              if (!path.startsWith(CUT)) {
                return Upstream.write(socket, answer(isChunked, "whole " + path));
              }
              byte[] whole = answer(isChunked, "cut answer").getBytes(StandardCharsets.ISO_8859_1);
              int at = Integer.parseInt(path.substring(CUT.length()));
              socket.getOutputStream().write(whole, 0, at);
              socket.getOutputStream().flush();
              return false;
            }));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAnswerThatIsCutAtAnyByteIsUnknownAndTouchesNoOther(boolean isChunked) throws Exception {
    Upstream upstream = cutting(isChunked);
    Gateway gateway = gateway(upstream);
    int length = answer(isChunked, "cut answer").length();
    for (int at = 0; at < length; at++) {
      String request = Wire.post(CUT + at, key);
      try (Wire wire = new Wire(port(gateway))) {
        Wire.Reply cut = wire.send(request).read();
        assertThat(cut.problem())
            .as("cut after %d bytes: %s", at, cut)
            .isEqualTo("upstream-silent");
        // On the same connection, and so in the same event loop with the same pool.
        for (String path : List.of("/a/" + at, "/b/" + at)) {
          Wire.Reply next = wire.send(Wire.post(path, key)).read();
          assertThat(next.text()).as("after a cut at %d", at).isEqualTo("whole " + path);
          served.incrementAndGet();
        }
        Wire.Reply passing = wire.send(Wire.get("/c/" + at, "")).read();
        assertThat(passing.text()).as("after a cut at %d", at).isEqualTo("whole /c/" + at);
        Wire.Reply retry = wire.send(request).read();
        assertThat(retry.problem()).as("cut after %d bytes", at).isEqualTo("outcome-unknown");
      }
    }

    assertThat(served).hasValue(2 * length);
    assertThat(upstream.asked().stream().filter(a -> a.line().startsWith("POST " + CUT)))
        .as("sent once each")
        .hasSize(length);
  }

  @Test
  void whatPassesAndIsCutAtAnyByteNeverLooksWholeAndTouchesNoOther() throws Exception {
    Upstream upstream = cutting(false);
    Gateway gateway = gateway(upstream);
    int length = answer(false, "cut answer").length();
    for (int at = 0; at < length; at++) {
      Wire.Reply cut = Wire.call(port(gateway), Wire.get(CUT + at, ""));
      assertThat(cut.problem()).as("cut after %d bytes: %s", at, cut).isEqualTo("upstream-silent");
      assertThat(Wire.call(port(gateway), Wire.get("/after/" + at, "")).text())
          .isEqualTo("whole /after/" + at);
    }

    assertThat(upstream.count("GET")).isEqualTo(2L * length);
  }

  @Test
  void anAnswerWithMoreThanItsLengthIsNotTheBeginningOfTheNext() throws Exception {
    String more = answer(false, "stolen");
    for (int extra = 1; extra <= more.length(); extra += 7) {
      int bytes = extra;
      Upstream upstream =
          started(
              new Upstream(
                  (asked, socket) ->
                      Upstream.write(
                          socket,
                          answer(false, asked.line().split(" ", -1)[1])
                              + more.substring(0, bytes))));
      Gateway gateway = gateway(upstream);
      try (Wire wire = new Wire(port(gateway))) {
        for (String path : List.of("/a", "/b", "/c")) {
          assertThat(wire.send(Wire.post(path, key + extra)).read().text()).isEqualTo(path);
        }
      }
    }
  }
}
