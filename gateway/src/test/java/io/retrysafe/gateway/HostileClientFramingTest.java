// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.HostileClientTable.ALL;
import static io.retrysafe.gateway.HostileClientTable.HTTP_1;
import static io.retrysafe.gateway.HostileClientTable.shown;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClient.Protocol;
import io.retrysafe.gateway.HostileClientTable.Port;
import java.io.IOException;
import java.net.SocketException;
import java.util.EnumSet;
import java.util.List;

/** Requests of HTTP/1.1 that a server behind the gateway could read in another way. */
class HostileClientFramingTest extends HostileClientTests {
  private static final List<String> HEADER_LINES =
      List.of(
          "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
          "Content-Length: 0\r\nContent-Length: 0\r\n",
          "Content-Length: +0\r\n",
          "Content-Length: 0x0\r\n",
          "Content-Length: 0,0\r\n",
          "Content-Length: 00000000000000000000\r\n",
          "Content-Length:\r\n",
          "Transfer-Encoding: xchunked\r\n",
          "Transfer-Encoding: identity\r\n",
          "Transfer-Encoding: gzip, chunked\r\n",
          "Transfer-Encoding: chunked;x=1\r\n",
          "Transfer-Encoding: \"chunked\"\r\n",
          "Transfer-Encoding : chunked\r\n",
          "Host: localhost\r\n",
          "X: a\r\n b\r\n",
          "X: a\0b\r\n",
          "X: a\u001b[31mb\r\n",
          "X: a\u007fb\r\n",
          "X\u0080: a\r\n",
          "X\tY: a\r\n",
          ": a\r\n",
          "Connection: Idempotency-Key\r\n",
          "Connection: close, authorization\r\n",
          "Connection: X_Forwarded_For\r\n",
          "Connection: Content-Length\r\n",
          "Connection: host\r\n",
          "Connection: Cookie\r\n");

  private static final List<String> TARGETS =
      List.of(
          "http://other/x",
          "http://localhost@other/x",
          "http://localhost:99/x",
          "http:///x",
          "//other\\x",
          "/x#y",
          "localhost:80",
          "*");

  private static final List<String> CHUNKS =
      List.of(
          "5;" + "x".repeat(200_000) + "\r\nhello\r\n0\r\n\r\n",
          "5\r\nhello\r\n0\r\n" + "A: b\r\n".repeat(50_000) + "\r\n",
          "5\r\nhello\r\n0\r\nbad line\r\n\r\n",
          "5 \r\nhello\r\n0\r\n\r\n",
          "0x5\r\nhello\r\n0\r\n\r\n",
          "-5\r\nhello\r\n0\r\n\r\n",
          "+5\r\nhello\r\n0\r\n\r\n",
          "fffffffff\r\nhello\r\n0\r\n\r\n",
          "5\nhello\n0\n\n",
          "5\r\nhelloXX0\r\n\r\n");

  private static final String TRAILERS =
      "5\r\nhello\r\n0\r\nIdempotency-Key: other\r\nX-Tenant: victim\r\nContent-Length: 9\r\n\r\n";

  @Override
  void attacks(HostileClientTable table) {
    for (String lines : HEADER_LINES) {
      table.onBoth(HTTP_1, "the header " + shown(lines), client -> refused(client, "/x", lines));
    }
    for (String target : TARGETS) {
      table.onBoth(HTTP_1, "the target " + target, client -> refused(client, target, ""));
    }
    for (String chunks : CHUNKS) {
      table.on(
          Port.REQUESTS, HTTP_1, "the chunks " + shown(chunks), client -> broken(client, chunks));
    }
    table.on(Port.REQUESTS, HTTP_1, "trailers that name a key and an account", this::trailers);
    for (String version : List.of("HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "http/1.1", "")) {
      table.onBoth(HTTP_1, "the version " + version, client -> version(client, version));
    }
    table.onBoth(HTTP_1, "upgrade to h2c is ignored", HostileClientFramingTest::upgrade);
    table.on(
        Port.ADMIN, EnumSet.of(Protocol.HTTP_1), "prior knowledge of HTTP/2", this::http2OnAdmin);
    table.onBoth(HTTP_1, "100 requests in a row", HostileClientFramingTest::pipelined);
    table.onBoth(HTTP_1, "noise", HostileClientFramingTest::noise);
    table.onBoth(ALL, "a head of 100 KB", this::largeHead);
    table.on(
        Port.REQUESTS,
        ALL,
        "a head below head-size",
        client ->
            assertThat(client.call("GET", "/x", "x", "y".repeat(20_000)).status()).isEqualTo(201));
  }

  private void refused(HostileClient client, String target, String lines) throws Exception {
    unsent(
        () -> {
          try (Wire wire = client.http1()) {
            wire.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n");
            assertThat(wire.read().status()).isEqualTo(400);
            assertThat(wire.isClosed()).isTrue();
          }
        });
  }

  private void broken(HostileClient client, String chunks) throws Exception {
    unsent(
        () -> {
          try (Wire wire = client.http1()) {
            wire.send(
                HostileClient.head(
                    "POST", "/x", "Transfer-Encoding", "chunked", "Idempotency-Key", key()));
            wire.send(chunks);
            assertThat(wire.isClosed()).isTrue();
          } catch (SocketException e) {
            // Cut off, as it should be.
          }
        });
  }

  private void trailers(HostileClient client) throws IOException {
    for (String key : List.of(key(), "")) {
      String path = "/trailers/" + key();
      String[] headers = {"Transfer-Encoding", "chunked"};
      try (Wire wire = client.http1()) {
        wire.send(
            key.isEmpty()
                ? HostileClient.head("PUT", path, headers)
                : HostileClient.head(
                    "POST", path, HostileClient.with(headers, "Idempotency-Key", key)));
        assertThat(wire.send(TRAILERS).read().status()).isEqualTo(201);
      }
      String asked = upstream().asked(path).head();
      assertThat(asked).doesNotContain("other").doesNotContain("victim");
    }
  }

  private void version(HostileClient client, String version) throws Exception {
    unsent(
        () -> {
          try (Wire wire = client.http1()) {
            wire.send(
                "GET /x " + version + "\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
            assertThat(wire.read().status()).isIn(400, 501, 505);
          }
        });
  }

  private static void upgrade(HostileClient client) throws IOException {
    try (Wire wire = client.http1()) {
      wire.send(
          HostileClient.head(
              "GET",
              "/health/live",
              "Connection",
              "Upgrade, HTTP2-Settings",
              "Upgrade",
              "h2c",
              "HTTP2-Settings",
              "AAMAAABkAARAAAAAAAIAAAAA"));
      assertThat(wire.read().status()).isIn(200, 201);
      // The connection goes on with HTTP/1.1.
      wire.send(HostileClient.head("GET", "/health/live"));
      assertThat(wire.read().status()).isIn(200, 201);
    }
  }

  private void http2OnAdmin(HostileClient client) throws IOException {
    try (Http2Wire wire = new Http2Wire(client.connect())) {
      client.begin(wire, "GET", "/health/live", true);
      assertThat(wire.isClosed()).isTrue();
    }
  }

  private static void pipelined(HostileClient client) throws IOException {
    try (Wire wire = client.http1()) {
      wire.send(HostileClient.head("GET", "/health/live").repeat(100));
      for (int i = 0; i < 100; i++) {
        assertThat(wire.read().status()).isIn(200, 201);
      }
    }
  }

  private static void noise(HostileClient client) throws IOException {
    try (Wire wire = client.http1()) {
      wire.send("\u0000\u0001\u0002".repeat(20_000) + "\r\n\r\n");
      assertThat(wire.read().status()).isIn(400, 414);
    } catch (SocketException e) {
      // Cut off, as it should be.
    }
  }

  private void largeHead(HostileClient client) throws Exception {
    unsent(
        () -> {
          Wire.Reply reply = client.call("GET", "/health/live", "x", "y".repeat(100_000));
          assertThat(reply.status()).isIn(0, 431);
        });
  }
}
