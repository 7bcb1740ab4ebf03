// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A request of an attacker, and the ways in which it can be sent.
 *
 * @param headers names and values in turn
 */
record HostileClientRequest(
    String method, String path, String host, List<String> headers, String body) {
  private static final int TIMES = 12;
  private static final int PARTS = 8;
  private static final long PAUSE_MILLIS = 15;
  private static final int HUGE = 20_000;

  static HostileClientRequest of(String method, String path, String... headers) {
    return new HostileClientRequest(method, path, "localhost", List.of(headers), "");
  }

  HostileClientRequest host(String other) {
    return new HostileClientRequest(method, path, other, headers, body);
  }

  HostileClientRequest body(String text) {
    return new HostileClientRequest(method, path, host, headers, text);
  }

  HostileClientRequest with(String name, String value) {
    List<String> all = new ArrayList<>(headers);
    all.addAll(List.of(name, value));
    return new HostileClientRequest(method, path, host, all, body);
  }

  /** Returns this request with a head just below the largest. */
  HostileClientRequest huge() {
    return with("x-padding", "y".repeat(HUGE));
  }

  private byte[] bytes() {
    return body.getBytes(StandardCharsets.UTF_8);
  }

  private String head() {
    List<String> all = new ArrayList<>(headers);
    all.addAll(List.of("content-length", String.valueOf(bytes().length)));
    return HostileClient.head(method, path, all.toArray(new String[0]))
        .replaceFirst("Host: localhost", "Host: " + host);
  }

  private void begin(HostileClient client, Http2Wire wire, int stream) throws IOException {
    List<String> fields =
        new ArrayList<>(
            List.of(
                ":method",
                method,
                ":scheme",
                client.protocol().isTls() ? "https" : "http",
                ":authority",
                host,
                ":path",
                path));
    fields.addAll(headers);
    wire.headers(stream, body.isEmpty(), fields.toArray(new String[0]));
  }

  /** Sends the request on a connection of its own. */
  Wire.Reply send(HostileClient client) throws IOException {
    return sendTimes(client, 1).get(0);
  }

  /** Sends the request many times at once on one connection. */
  List<Wire.Reply> fast(HostileClient client) throws IOException {
    return sendTimes(client, TIMES);
  }

  private List<Wire.Reply> sendTimes(HostileClient client, int times) throws IOException {
    List<Wire.Reply> replies = new ArrayList<>();
    if (client.protocol().isHttp2()) {
      try (Http2Wire wire = client.http2()) {
        for (int stream = 1; stream < 2 * times; stream += 2) {
          begin(client, wire, stream);
          if (!body.isEmpty()) {
            wire.data(stream, true, bytes());
          }
        }
        for (int stream = 1; stream < 2 * times; stream += 2) {
          replies.add(wire.read(stream));
        }
      } catch (java.net.SocketException e) {
        cut(replies, e);
      }
      return replies;
    }
    try (Wire wire = client.http1()) {
      wire.send((head() + new String(bytes(), StandardCharsets.ISO_8859_1)).repeat(times));
      for (int i = 0; i < times; i++) {
        replies.add(wire.read());
      }
    } catch (java.net.SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      cut(replies, e);
    }
    return replies;
  }

  /** A connection may end after an answer, and with it what was sent along. */
  private static void cut(List<Wire.Reply> replies, IOException e) {
    if (replies.isEmpty()) {
      replies.add(new Wire.Reply(0, List.of(e.toString()), new byte[0]));
    }
  }

  /** Sends the request in small parts with pauses between them. */
  Wire.Reply slowly(HostileClient client) throws IOException, InterruptedException {
    if (client.protocol().isHttp2()) {
      try (Http2Wire wire = client.http2()) {
        begin(client, wire, 1);
        for (byte[] part : body.isEmpty() ? List.<byte[]>of() : parts(bytes())) {
          Thread.sleep(PAUSE_MILLIS);
          wire.data(1, false, part);
        }
        if (!body.isEmpty()) {
          wire.data(1, true, new byte[0]);
        }
        return wire.read(1);
      }
    }
    try (Wire wire = client.http1()) {
      for (byte[] part : parts(head().getBytes(StandardCharsets.ISO_8859_1))) {
        Thread.sleep(PAUSE_MILLIS);
        wire.send(part);
      }
      return wire.send(bytes()).read();
    }
  }

  private static List<byte[]> parts(byte[] bytes) {
    List<byte[]> parts = new ArrayList<>();
    int size = Math.max(1, (bytes.length + PARTS - 1) / PARTS);
    for (int at = 0; at < bytes.length; at += size) {
      parts.add(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + size)));
    }
    return parts;
  }
}
