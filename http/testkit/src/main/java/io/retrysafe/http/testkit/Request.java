// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.http.Header;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A request to be sent, byte by byte. Immutable: every setter returns another. */
record Request(String method, String target, List<Header> headers, Bytes body, Framing framing) {

  /** How the end of the body is told. */
  enum Framing {
    LENGTH,
    CHUNKED,
    /** The body is left out: the test sends it itself, or never. */
    NO_BODY
  }

  static Request of(String method, String target) {
    return new Request(
        method, target, List.of(new Header("Host", "localhost")), Bytes.EMPTY, Framing.LENGTH);
  }

  Request header(String name, String value) {
    List<Header> more = new ArrayList<>(headers);
    more.add(new Header(name, value));
    return new Request(method, target, more, body, framing);
  }

  Request without(String name) {
    return new Request(
        method, target, headers.stream().filter(h -> !h.is(name)).toList(), body, framing);
  }

  Request replace(String name, String value) {
    return without(name).header(name, value);
  }

  Request key(String key) {
    return replace("Idempotency-Key", key);
  }

  Request to(String method, String target) {
    return new Request(method, target, headers, body, framing);
  }

  Request body(String body) {
    return body(Bytes.utf8(body));
  }

  Request body(Bytes body) {
    return new Request(method, target, headers, body, framing);
  }

  Request framing(Framing framing) {
    return new Request(method, target, headers, body, framing);
  }

  byte[] toBytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
    headers.forEach(h -> head.append(h.name()).append(": ").append(h.value()).append("\r\n"));
    head.append(
        framing == Framing.CHUNKED
            ? "Transfer-Encoding: chunked\r\n"
            : "Content-Length: " + body.size() + "\r\n");
    out.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    if (framing == Framing.LENGTH) {
      out.writeBytes(body.toArray());
    } else if (framing == Framing.CHUNKED) {
      // Two chunks, so that no adapter can take the first one for the whole.
      int half = body.size() / 2;
      chunk(out, 0, half);
      chunk(out, half, body.size() - half);
      out.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
    }
    return out.toByteArray();
  }

  private void chunk(ByteArrayOutputStream out, int from, int count) {
    if (count > 0) {
      out.writeBytes((Integer.toHexString(count) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      out.write(body.toArray(), from, count);
      out.writeBytes("\r\n".getBytes(StandardCharsets.ISO_8859_1));
    }
  }
}
