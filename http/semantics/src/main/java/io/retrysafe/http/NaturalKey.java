// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.http.JsonParser.MalformedException;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** A key made from a request, so that the same business intent makes the same key. */
final class NaturalKey {
  private final List<Source> sources;

  NaturalKey(List<Source> sources) {
    this.sources = sources;
  }

  /** Thrown where a request lacks what its key is made from; says what, by its name. */
  static final class MissingException extends Exception {
    private static final long serialVersionUID = 1L;

    MissingException(Source source) {
      this(source, "which the request does not have");
    }

    MissingException(Source source, String why) {
      super("the key is made from " + source + ", " + why);
    }
  }

  /** Returns the key. A null in JSON is as good as nothing: two such requests are not one. */
  String of(RequestHead head, RequestBody body)
      throws MissingException, MalformedException, IOException {
    boolean hasPointers = sources.stream().anyMatch(Source.Pointer.class::isInstance);
    Json json = hasPointers ? Fingerprints.json(head, body) : null;
    Digests digest = new Digests();
    for (Source source : sources) {
      if (source instanceof Source.Field field) {
        List<String> lines = Headers.all(head.headers(), field.name());
        if (lines.stream().allMatch(String::isBlank)) {
          throw new MissingException(source);
        }
        digest.add("header").add(field.name().toLowerCase(Locale.ROOT));
        digest.addCount(lines.size());
        lines.forEach(line -> digest.add(line.strip()));
      } else if (source instanceof Source.Pointer pointer) {
        if (json == null) {
          throw new MissingException(
              source, "but the body is empty or, by its Content-Type, not JSON");
        }
        Json found = pointer.pointer().find(json);
        if (found == null || found.equals(new Json.Lexeme("null"))) {
          throw new MissingException(source);
        }
        digest.add("pointer").add(pointer.pointer().text()).add(found.canonical());
      }
    }
    return "natural-1:" + HexFormat.of().formatHex(digest.digest().toArray());
  }
}
