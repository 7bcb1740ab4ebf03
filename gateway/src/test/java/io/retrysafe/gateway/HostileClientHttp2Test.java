// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.HostileClient.with;
import static io.retrysafe.gateway.HostileClientTable.HTTP_2;
import static io.retrysafe.gateway.HostileClientTable.shown;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClientTable.Port;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Requests of HTTP/2 that HTTP/1.1, which upstreams are sent, would carry as something else. */
class HostileClientHttp2Test extends HostileClientTests {
  private static final Map<String, String[]> HEADS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("no authority", fields(":method", "GET", ":scheme", "http", ":path", "/x")),
              Map.entry(
                  "no path",
                  fields(":method", "GET", ":scheme", "http", ":authority", "localhost")),
              Map.entry("an empty path", request("GET", "")),
              Map.entry("a path without a slash", request("GET", "x")),
              Map.entry("a star for GET", request("GET", "*")),
              Map.entry("another host in the path", request("GET", "http://other/x")),
              Map.entry("a line in the path", request("GET", "/x HTTP/1.1\r\nX: y")),
              Map.entry("a space in the path", request("GET", "/x y")),
              Map.entry("a line in the method", request("GET / HTTP/1.1\r\nX: y", "/x")),
              Map.entry("a method that is no token", request("G(T", "/x")),
              Map.entry("a tunnel", fields(":method", "CONNECT", ":authority", "localhost:443")),
              Map.entry("another scheme", fields(":scheme", "ftp", ":method", "GET", ":path", "/")),
              Map.entry(
                  "two authorities", with(fields(":authority", "other"), request("GET", "/x"))),
              Map.entry("two paths", with(fields(":path", "/y"), request("GET", "/x"))),
              Map.entry("two methods", with(fields(":method", "POST"), request("GET", "/x"))),
              Map.entry("an unknown pseudo-header", with(fields(":own", "x"), request("GET", "/"))),
              Map.entry("a status", with(fields(":status", "200"), request("GET", "/x"))),
              Map.entry(
                  "two hosts",
                  with(request("GET", "/x"), "host", "localhost", "host", "localhost")),
              Map.entry(
                  "two lengths",
                  with(request("GET", "/x"), "content-length", "0", "content-length", "1"))));

  private static final List<String[]> FIELDS =
      List.of(
          fields(":path", "/y"),
          fields("host", "other"),
          fields("connection", "close"),
          fields("connection", "idempotency-key"),
          fields("keep-alive", "5"),
          fields("proxy-connection", "close"),
          fields("transfer-encoding", "chunked"),
          fields("upgrade", "h2c"),
          fields("te", "gzip"),
          fields("X-Upper", "x"),
          fields("a b", "x"),
          fields("a:b", "x"),
          fields("", "x"),
          fields("a\r\nb", "x"),
          fields("x", "a\r\nDELETE /all HTTP/1.1"),
          fields("x", "a\u0000b"),
          fields("x", "a\u001b[31mb"),
          fields("content-length", "1"),
          fields("content-length", "+0"),
          fields("content-length", "-1"),
          fields("content-length", "0, 1"));

  private static final List<String[]> TRAILERS =
      List.of(
          fields(":path", "/y"), fields("a\r\nb", "x"), fields("x", "a\r\nb"), fields("X", "y"));

  private static String[] fields(String... fields) {
    return fields;
  }

  private static String[] request(String method, String path) {
    return fields(":method", method, ":scheme", "http", ":authority", "localhost", ":path", path);
  }

  @Override
  void attacks(HostileClientTable table) {
    HEADS.forEach((name, head) -> table.onBoth(HTTP_2, name, client -> refused(client, head)));
    for (String[] field : FIELDS) {
      table.onBoth(
          HTTP_2,
          "the header " + shown(field),
          client -> refused(client, with(request("GET", "/x"), field)));
    }
    for (String[] trailer : TRAILERS) {
      table.on(
          Port.REQUESTS,
          HTTP_2,
          "the trailer " + shown(trailer),
          client -> brokenTrailer(client, trailer));
    }
    table.on(Port.REQUESTS, HTTP_2, "trailers that name a key and an account", this::trailers);
    table.onBoth(
        HTTP_2,
        "a body longer than its length",
        client -> length(client, "1", "xDELETE /all HTTP/1.1\r\nHost: a\r\n\r\n"));
    table.onBoth(HTTP_2, "a body shorter than its length", client -> length(client, "9", "x"));
    table.on(Port.REQUESTS, HTTP_2, "two equal lengths count as one", this::equalLengths);
  }

  private void refused(HostileClient client, String[] head) throws Exception {
    unsent(
        () -> {
          try (Http2Wire wire = client.http2()) {
            wire.headers(1, true, head);
            assertThat(wire.read(1).status()).isIn(0, 400, 501);
          }
        });
  }

  private void brokenTrailer(HostileClient client, String[] trailer) throws Exception {
    unsent(
        () -> {
          try (Http2Wire wire = client.http2()) {
            client.begin(wire, "POST", "/x", false, "idempotency-key", key());
            wire.data(1, false, HostileClient.bytes("hello")).headers(1, true, trailer);
            assertThat(wire.read(1).status()).isIn(0, 400);
          }
        });
  }

  private void trailers(HostileClient client) throws IOException {
    String path = "/trailers/" + key();
    try (Http2Wire wire = client.http2()) {
      client.begin(wire, "PUT", path, false);
      wire.data(1, false, HostileClient.bytes("hello"));
      wire.headers(1, true, "idempotency-key", "other", "x-tenant", "victim");
      assertThat(wire.read(1).status()).isEqualTo(201);
    }
    assertThat(upstream().asked(path).head()).doesNotContain("other").doesNotContain("victim");
  }

  private void length(HostileClient client, String length, String body) throws Exception {
    unsent(
        () -> {
          try (Http2Wire wire = client.http2()) {
            client.begin(
                wire, "POST", "/x", false, "content-length", length, "idempotency-key", "k");
            wire.data(1, true, HostileClient.bytes(body));
            assertThat(wire.read(1).status()).isIn(0, 400, 404);
          }
        });
  }

  /**
   * RFC 9110, 8.6: a recipient may take equal lengths for one. The upstream gets one of its own.
   */
  private void equalLengths(HostileClient client) throws IOException {
    String path = "/equal/" + key();
    try (Http2Wire wire = client.http2()) {
      String[] lengths = {"content-length", "5", "content-length", "5"};
      client.begin(wire, "POST", path, false, with(lengths, "idempotency-key", key()));
      wire.data(1, true, HostileClient.bytes("hello"));
      assertThat(wire.read(1).status()).isEqualTo(201);
    }
    assertThat(upstream().asked(path).all("Content-Length")).containsExactly("5");
  }
}
