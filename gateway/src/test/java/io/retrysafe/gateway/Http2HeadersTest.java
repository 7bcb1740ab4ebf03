// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * HTTP/2 can carry in a header what HTTP/1.1 cannot: such a request must not go on to an upstream,
 * which would read another one in it. Frames are written byte by byte: clients do not send such
 * things.
 */
class Http2HeadersTest extends GatewayTests {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int GO_AWAY = 7;
  private static final int WHOLE = 5; // the stream ends, and so do the headers
  private static final int END_OF_STREAM = 1;
  private static final int END_OF_HEADERS = 4;
  private static final int PRIORITY = 0x20;
  private static final int STATUS_200 = 0x88;

  private Gateway speaking(Upstream upstream) {
    return gateway(upstream, config -> config.h2c(true));
  }

  private static byte[] request(String value) throws IOException {
    ByteArrayOutputStream fields = new ByteArrayOutputStream();
    fields.write(new byte[] {(byte) 0x82, (byte) 0x84, (byte) 0x86, 0x01}); // GET / http, authority
    text(fields, "test");
    fields.write(0); // a literal with a name of its own
    text(fields, "x-own");
    text(fields, value);
    return frames(fields, WHOLE, new byte[0]);
  }

  private static byte[] frames(ByteArrayOutputStream fields, int flags, byte[] body)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    bytes.write(new byte[] {0, 0, 0, SETTINGS, 0, 0, 0, 0, 0});
    bytes.write(new byte[] {0, 0, (byte) fields.size(), HEADERS, (byte) flags, 0, 0, 0, 1});
    bytes.write(fields.toByteArray());
    if (body.length > 0) {
      bytes.write(new byte[] {0, 0, (byte) body.length, DATA, END_OF_STREAM, 0, 0, 0, 1});
      bytes.write(body);
    }
    return bytes.toByteArray();
  }

  private static void text(ByteArrayOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    out.write(bytes.length);
    out.write(bytes);
  }

  /** Returns what becomes of a request: its status, encoded; 0 if it is cut off. */
  private static int outcome(Gateway gateway, byte[] request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(gateway))) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(request);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        in.readInt();
        byte[] payload = in.readNBytes(length);
        if (type == HEADERS) {
          return Byte.toUnsignedInt(payload[(flags & PRIORITY) == 0 ? 0 : 5]);
        }
        if (type == RESET || type == GO_AWAY) {
          return 0;
        }
      }
    }
  }

  @Test
  void textPasses() throws Exception {
    Upstream upstream = started(new Upstream((asked, s) -> Upstream.write(s, 200, "ok")));

    assertThat(outcome(speaking(upstream), request("a\tb \u00e9"))).isEqualTo(STATUS_200);
    assertThat(upstream.asked().get(0).all("X-Own")).containsExactly("a\tb \u00e9");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a\r\nX-Other: b",
        "a\r\n\r\nDELETE /all HTTP/1.1\r\nHost: test\r\n\r\n",
        "a\nb",
        "a\rb",
        "a\u0000b",
        "a\u0007b",
        "a\u007fb"
      })
  void whatIsNoTextDoesNot(String value) throws Exception {
    Upstream upstream = started(new Upstream((asked, s) -> Upstream.write(s, 200, "ok")));

    assertThat(outcome(speaking(upstream), request(value))).isZero();
    assertThat(upstream.asked()).isEmpty();
  }

  @Test
  void aBodyThatIsLongerThanItSaysIsNotTwoRequests() throws Exception {
    Upstream upstream = started(new Upstream((asked, s) -> Upstream.write(s, 200, "ok")));
    ByteArrayOutputStream fields = new ByteArrayOutputStream();
    fields.write(0x02); // the method
    text(fields, "PUT");
    fields.write(new byte[] {(byte) 0x84, (byte) 0x86, 0x01}); // / http, authority
    text(fields, "test");
    fields.write(0);
    text(fields, "content-length");
    text(fields, "1");
    byte[] body = "xDELETE /all HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    assertThat(outcome(speaking(upstream), frames(fields, END_OF_HEADERS, body))).isZero();
    assertThat(upstream.count("DELETE")).isZero();
  }
}
