// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that somebody behind the gateway could read in another way. */
class StrictTest extends GatewayTests {
  private static final String NEXT = "GET /smuggled HTTP/1.1\r\nHost: test\r\n\r\n";
  private static final String START = "POST /payments HTTP/1.1\r\nHost: test\r\n";

  private Upstream upstream;
  private Gateway gateway;

  @BeforeEach
  void start() throws IOException {
    upstream = started(new Upstream((asked, socket) -> Upstream.write(socket, 200, "ok")));
    gateway = gateway(upstream);
  }

  private Map<String, String> ambiguous() {
    Map<String, String> requests = new TreeMap<>();
    String keyed = START + "Idempotency-Key: k\r\n";
    requests.put(
        "length and chunks",
        keyed + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    requests.put(
        "chunks and length",
        keyed + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n");
    requests.put("two lengths", keyed + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc");
    requests.put("equal lengths", keyed + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab");
    requests.put("a list of lengths", keyed + "Content-Length: 2, 2\r\n\r\nab");
    requests.put("a signed length", keyed + "Content-Length: +2\r\n\r\nab");
    requests.put("a negative length", keyed + "Content-Length: -2\r\n\r\nab");
    requests.put("a length with a space", keyed + "Content-Length: 1 2\r\n\r\nab");
    requests.put("a hexadecimal length", keyed + "Content-Length: 0x2\r\n\r\nab");
    requests.put("space before the colon", keyed + "Content-Length : 2\r\n\r\nab");
    requests.put("xchunked", keyed + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n");
    requests.put(
        "chunked, xchunked", keyed + "Transfer-Encoding: chunked, xchunked\r\n\r\n0\r\n\r\n");
    requests.put("chunked twice", keyed + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n");
    requests.put(
        "chunked in two lines",
        keyed + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    requests.put(
        "chunked and identity",
        keyed + "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    requests.put("a vertical tab", keyed + "Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n");
    requests.put("a bare line feed in a head", START.replace("\r\n", "\n") + "\n");
    requests.put("a bare line feed in a header", keyed + "X: a\nY: b\r\nContent-Length: 0\r\n\r\n");
    requests.put("a bare carriage return", keyed + "X: a\rY: b\r\nContent-Length: 0\r\n\r\n");
    requests.put("three carriage returns", keyed + "Content-Length: 0\r\r\r\n\r\n");
    requests.put("a folded header", keyed + "X: a\r\n b\r\nContent-Length: 0\r\n\r\n");
    requests.put(
        "a folded length", keyed + "X: a\r\n\tContent-Length: 5\r\nContent-Length: 0\r\n\r\n");
    requests.put(
        "a first header that begins with a space",
        "POST /payments HTTP/1.1\r\n Host: test\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n");
    requests.put("a header without a colon", keyed + "what\r\nContent-Length: 0\r\n\r\n");
    requests.put("an empty header name", keyed + ": a\r\nContent-Length: 0\r\n\r\n");
    requests.put("a null in a header", keyed + "X: a\0b\r\nContent-Length: 0\r\n\r\n");
    requests.put("no host", "POST /payments HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
    requests.put("two hosts", START + "Host: other\r\nContent-Length: 0\r\n\r\n");
    requests.put("another host in the target", "GET http://other/x HTTP/1.1\r\nHost: test\r\n\r\n");
    requests.put("another scheme", "GET ftp://test/x HTTP/1.1\r\nHost: test\r\n\r\n");
    requests.put("a fragment", "GET /x#y HTTP/1.1\r\nHost: test\r\n\r\n");
    requests.put("a tunnel", "CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\n");
    requests.put("HTTP/1.0", "GET /x HTTP/1.0\r\nHost: test\r\nConnection: keep-alive\r\n\r\n");
    requests.put(
        "HTTP/1.0 in chunks",
        START.replace("1.1", "1.0") + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    requests.put("HTTP/1.2", "GET /x HTTP/1.2\r\nHost: test\r\n\r\n");
    requests.put("no version", "GET /x\r\nHost: test\r\n\r\n");
    requests.put("a space in the target", "GET /x y HTTP/1.1\r\nHost: test\r\n\r\n");
    return requests;
  }

  @Test
  void ambiguousHeadsAreRefusedAndTheirConnectionsClosed() throws Exception {
    TreeMap<String, String> wrong = new TreeMap<>();
    for (Map.Entry<String, String> each : ambiguous().entrySet()) {
      try (Wire wire = new Wire(port(gateway))) {
        wire.timeout(3000);
        wire.send(each.getValue() + NEXT);
        Wire.Reply reply = wire.read();
        if (!List.of(400, 501, 505).contains(reply.status())) {
          wrong.put(each.getKey(), reply.toString());
        } else if (!wire.isClosed()) {
          wrong.put(each.getKey(), "not closed");
        }
      } catch (IOException e) {
        wrong.put(each.getKey(), e.toString());
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(upstream.asked()).isEmpty();
  }

  @Test
  void ambiguousChunksAreRefusedAndTheirConnectionsClosed() throws Exception {
    Map<String, String> chunks =
        Map.of(
            "a negative size", "-1\r\n\r\n0\r\n\r\n",
            "a huge size", "ffffffffffffffff1\r\nab\r\n0\r\n\r\n",
            "a size with a sign", "+2\r\nab\r\n0\r\n\r\n",
            "no size", "\r\nab\r\n0\r\n\r\n",
            "a line feed after the size", "2\nab\r\n0\r\n\r\n",
            "a line feed in an extension", "2;x\ny\r\nab\r\n0\r\n\r\n",
            "an open quote in an extension", "2;x=\"\r\nab\r\n0\r\n\r\n",
            "no end of a chunk", "2\r\nabc\r\n0\r\n\r\n",
            "0x", "0x2\r\nab\r\n0\r\n\r\n");
    TreeMap<String, String> wrong = new TreeMap<>();
    for (String path : List.of("/payments", "/unguarded")) {
      for (Map.Entry<String, String> each : chunks.entrySet()) {
        try (Wire wire = new Wire(port(gateway))) {
          wire.timeout(3000);
          wire.send(
              "POST "
                  + path
                  + " HTTP/1.1\r\nHost: test\r\nIdempotency-Key: k\r\n"
                  + "Transfer-Encoding: chunked\r\n\r\n"
                  + each.getValue()
                  + NEXT);
          if (!isRefused(wire)) {
            wrong.put(path + " " + each.getKey(), "not closed");
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(upstream.count("GET")).isZero();
    assertThat(upstream.asked()).isEmpty();
  }

  private static boolean isRefused(Wire wire) {
    try {
      return wire.read().status() == 400 && wire.isClosed();
    } catch (IOException e) {
      return !(e instanceof java.net.SocketTimeoutException);
    }
  }

  @Test
  void aBodyThatIsNotDeclaredIsTheNextRequest() throws Exception {
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(START + "Idempotency-Key: k\r\nContent-Length: 0\r\n\r\n" + NEXT);
      assertThat(wire.read().status()).isEqualTo(200);
      assertThat(wire.read().status()).isEqualTo(200);
    }
    assertThat(upstream.asked()).hasSize(2);
    assertThat(upstream.asked().get(0).body()).isEmpty();
  }

  @Test
  void theTargetMayNameTheHostItself() throws Exception {
    String request = "GET http://test/x?y=1 HTTP/1.1\r\nHost: test\r\n\r\n";

    assertThat(Wire.call(port(gateway), request).status()).isEqualTo(200);

    assertThat(upstream.asked().get(0).line()).isEqualTo("GET /x?y=1 HTTP/1.1");
  }

  @Test
  void headsThatAreTooLargeAreRefused() throws Exception {
    String large = "x".repeat(40_000);

    assertThat(Wire.call(port(gateway), Wire.get("/", "X: " + large + "\r\n")).status())
        .isEqualTo(431);
    assertThat(Wire.call(port(gateway), Wire.get("/" + large, "")).status()).isEqualTo(414);
  }
}
