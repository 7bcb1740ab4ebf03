// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.http.body.BodyMemory;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.http.internal.digest.FramedDigest;
import io.retrysafe.http.internal.json.CanonicalJson;
import io.retrysafe.http.internal.json.JsonPointer;
import io.retrysafe.http.internal.json.MalformedJsonException;
import io.retrysafe.http.internal.syntax.KeySource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A key made from a request, so that the same business intent makes the same key. */
final class NaturalKey {
  private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

  private final List<KeySource> sources;

  NaturalKey(List<KeySource> sources) {
    this.sources = sources;
  }

  /** Thrown where a request lacks what its key is made from; says what, by its name. */
  static final class MissingException extends Exception {
    private static final long serialVersionUID = 1L;

    MissingException(KeySource source) {
      this(source, "which the request does not have");
    }

    MissingException(KeySource source, String why) {
      super("the key is made from " + source + ", " + why);
    }
  }

  /** Returns the key. A null in JSON is as good as nothing: two such requests are not one. */
  String of(RequestHead head, RequestBody body, BodyMemory memory)
      throws MissingException, MalformedJsonException, IOException {
    Iterator<byte @Nullable []> found = found(head, body, memory).iterator();
    FramedDigest digest = new FramedDigest();
    for (KeySource source : sources) {
      if (source instanceof KeySource.Field field) {
        List<String> lines = Headers.all(head.headers(), field.name());
        if (lines.stream().allMatch(String::isBlank)) {
          throw new MissingException(source);
        }
        digest.add("header").add(field.name().toLowerCase(Locale.ROOT));
        digest.addCount(lines.size());
        lines.forEach(line -> digest.add(line.strip()));
      } else if (source instanceof KeySource.Pointer pointer) {
        if (!found.hasNext()) {
          throw new MissingException(
              source, "but the body is empty or, by its Content-Type, not JSON");
        }
        byte[] token = found.next();
        if (token == null || Arrays.equals(token, NULL)) {
          throw new MissingException(source);
        }
        digest.add("pointer").add(pointer.pointer().text()).add(token);
      }
    }
    return "natural-2:" + HexFormat.of().formatHex(digest.digest().toArray());
  }

  /** Returns what is at the pointers, in their order; nothing if the body is not JSON. */
  private List<byte @Nullable []> found(RequestHead head, RequestBody body, BodyMemory memory)
      throws MalformedJsonException, IOException {
    List<JsonPointer> pointers =
        sources.stream()
            .filter(KeySource.Pointer.class::isInstance)
            .map(source -> ((KeySource.Pointer) source).pointer())
            .toList();
    if (pointers.isEmpty() || !Fingerprints.isJson(head, body)) {
      return List.of();
    }
    try (InputStream in = body.open()) {
      return CanonicalJson.tokens(in, pointers, memory);
    }
  }
}
