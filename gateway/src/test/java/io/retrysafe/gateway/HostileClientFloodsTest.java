// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.Http2Wire.CONTINUATION;
import static io.retrysafe.gateway.Http2Wire.DATA;
import static io.retrysafe.gateway.Http2Wire.HEADERS;
import static io.retrysafe.gateway.Http2Wire.PING;
import static io.retrysafe.gateway.Http2Wire.PRIORITY;
import static io.retrysafe.gateway.Http2Wire.SETTINGS;
import static io.retrysafe.gateway.Http2Wire.WINDOW_UPDATE;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClient.Protocol;
import io.retrysafe.gateway.HostileClientTable.Port;
import io.retrysafe.gateway.internal.wire.ClientConnections;
import java.io.IOException;
import java.net.SocketException;
import java.util.Map;
import java.util.TreeMap;

/** Frames of HTTP/2 that are cheap to send and dear to serve. */
class HostileClientFloodsTest extends HostileClientTests {
  private static final int END_OF_HEADERS = 4;

  /** Literals of HPACK: GET, https, a path and an authority, all by index. */
  private static final int[] REQUEST = {0x82, 0x87, 0x84, 0x41, 1, 'l'};

  /** Writes frames to a connection until it has written all, or is cut off. */
  interface Flood {
    void run(Http2Wire wire) throws IOException;
  }

  private static final Map<String, Flood> FLOODS =
      new TreeMap<>(
          Map.of(
              "500 streams that are reset at once",
              wire -> {
                for (int stream = 1; stream < 1000; stream += 2) {
                  wire.frame(HEADERS, END_OF_HEADERS | 1, stream, REQUEST).reset(stream);
                }
              },
              "500 streams that the gateway has to reset",
              wire -> {
                for (int stream = 1; stream < 1000; stream += 2) {
                  wire.frame(HEADERS, END_OF_HEADERS, stream, REQUEST);
                  wire.frame(WINDOW_UPDATE, 0, stream, 0, 0, 0, 0);
                }
              },
              "5000 frames that ask for an answer",
              wire -> {
                for (int i = 0; i < 2500; i++) {
                  wire.frame(PING, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8).frame(SETTINGS, 0, 0);
                }
              },
              "2500 frames without data",
              wire -> {
                wire.frame(HEADERS, END_OF_HEADERS, 1, REQUEST);
                for (int i = 0; i < 2500; i++) {
                  wire.frame(DATA, 0, 1);
                }
              },
              "2500 changes of priority",
              wire -> {
                for (int i = 0; i < 2500; i++) {
                  wire.frame(PRIORITY, 0, 2 * i + 1, 0, 0, 0, 0, 5);
                }
              },
              "2500 frames of an unknown type",
              wire -> {
                for (int i = 0; i < 2500; i++) {
                  wire.frame(0xbe, 0, 0, new int[100]);
                }
              }));

  /** Frames after which the gateway has to end the connection. */
  private static final Map<String, Flood> FATAL =
      new TreeMap<>(
          Map.of(
              "headers that never end",
              wire -> {
                wire.frame(HEADERS, 0, 1, 0x82);
                for (int i = 0; i < 5000; i++) {
                  wire.frame(CONTINUATION, 0, 1, 0, 1, 'x', 1, 'y');
                }
              },
              "a window that grows by nothing",
              wire -> wire.frame(WINDOW_UPDATE, 0, 0, 0, 0, 0, 0),
              "a window that overflows",
              wire -> wire.frame(WINDOW_UPDATE, 0, 0, 0x7f, 0xff, 0xff, 0xff),
              "settings that are out of range",
              wire -> wire.frame(SETTINGS, 0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff),
              "data of a stream that was never begun",
              wire -> wire.frame(DATA, 0, 7, 1, 2, 3),
              "an index that the table of headers does not have",
              wire -> wire.frame(HEADERS, END_OF_HEADERS | 1, 1, 0xff, 0x80, 0x7f),
              "a request of the server's own number",
              wire -> wire.frame(HEADERS, END_OF_HEADERS | 1, 2, REQUEST)));

  @Override
  void attacks(HostileClientTable table) {
    FLOODS.forEach(
        (name, flood) ->
            table.onBoth(HostileClientTable.HTTP_2, name, client -> flood(client, flood)));
    FATAL.forEach(
        (name, flood) ->
            table.onBoth(
                HostileClientTable.HTTP_2,
                name,
                client -> {
                  try (Http2Wire wire = client.http2()) {
                    flood.run(wire);
                    assertThat(wire.isClosed()).isTrue();
                  } catch (SocketException e) {
                    // Cut off, as it should be.
                  }
                }));
    table.onBoth(
        HostileClientTable.HTTP_2, "a table of headers that unpacks to 4 MB", this::headerTable);
    table.on(
        Port.REQUESTS,
        HostileClientTable.HTTP_2,
        "answers that are asked for and not read",
        this::unread);
  }

  private static void flood(HostileClient client, Flood flood) throws IOException {
    try (Http2Wire wire = client.http2()) {
      flood.run(wire);
    } catch (SocketException e) {
      // Cut off, as it should be.
    }
  }

  /** A header of 4,000 bytes that is put into the table, and then named a thousand times. */
  private void headerTable(HostileClient client) throws Exception {
    unsent(
        () -> {
          int[] block = new int[REQUEST.length + 6 + 4000 + 1000];
          System.arraycopy(REQUEST, 0, block, 0, REQUEST.length);
          int at = REQUEST.length;
          for (int octet : new int[] {0x40, 1, 'x', 0x7f, 0xa1, 0x1e}) {
            block[at++] = octet;
          }
          java.util.Arrays.fill(block, at, at + 4000, 'y');
          java.util.Arrays.fill(block, at + 4000, block.length, 0xbe);
          try (Http2Wire wire = client.http2()) {
            wire.frame(HEADERS, END_OF_HEADERS | 1, 1, block);
            assertThat(wire.read(1).status()).isIn(0, 431);
          }
        });
  }

  /** A client with a window of nothing, which asks for 60 MB in 60 streams. */
  private void unread(HostileClient client) throws Exception {
    String key = key();
    HostileClient reading =
        client(Port.REQUESTS, client.protocol().isTls() ? Protocol.HTTP_1_TLS : Protocol.HTTP_1);
    assertThat(reading.call("POST", "/large", "idempotency-key", key).status()).isEqualTo(201);
    Gateway gateway = gateway(client.protocol());
    try (Http2Wire wire = client.http2()) {
      wire.frame(SETTINGS, 0, 0, 0, 4, 0, 0, 0, 0);
      for (int stream = 1; stream < 120; stream += 2) {
        client.begin(wire, stream, "POST", "/large", true, "idempotency-key", key);
      }
      eventually("requests", () -> gateway.metrics().open().get(), 0);
      wire.frame(PING, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);
      assertThat(wire.resetsBeforePong())
          .isBetween(60 - 1 - ClientConnections.MOST_UNREAD / 1_000_000, 59);
    }
  }
}
