// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import io.retrysafe.internal.UnicodeText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which headers of an answer are kept and replayed: all, in order and number, but those that belong
 * to one connection, one moment or one caller.
 */
final class StoredHeaders {
  private static final Set<String> NEVER =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authentication-info",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "content-length",
          "date",
          "set-cookie",
          "set-cookie2",
          "www-authenticate",
          "idempotent-replayed",
          "retrysafe-outcome");

  private final List<String> denied;

  StoredHeaders(List<String> denied) {
    this.denied = denied.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
  }

  /** Returns the lines to keep. */
  List<Attribute> attributes(List<Header> headers) {
    List<String> named = Headers.tokens(headers, "Connection");
    List<Attribute> kept = new ArrayList<>();
    for (Header header : headers) {
      String name = header.name().toLowerCase(Locale.ROOT);
      if (!name.startsWith(Outcome.OWN)
          && !NEVER.contains(name)
          && !named.contains(name)
          && !isDenied(name)) {
        kept.add(new Attribute(storable(header.name()), storable(header.value())));
      }
    }
    return kept;
  }

  /** Whatever a handler set as a header, its answer has to be recorded. */
  private static String storable(String text) {
    return UnicodeText.storable(text, Integer.MAX_VALUE);
  }

  private boolean isDenied(String name) {
    for (String each : denied) {
      boolean matches =
          each.endsWith("*")
              ? name.startsWith(each.substring(0, each.length() - 1))
              : name.equals(each);
      if (matches) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns what a retry is answered, from what was kept. What a store or an operator's word holds
   * is checked again: a line that cannot be written is left out.
   */
  static Answer replay(Outcome outcome) {
    List<Header> headers = new ArrayList<>();
    for (Attribute attribute : outcome.attributes()) {
      if (attribute.isOwn()) {
        continue;
      }
      Header header = new Header(attribute.name(), attribute.value());
      if (Headers.isWritable(header) && !NEVER.contains(header.name().toLowerCase(Locale.ROOT))) {
        headers.add(header);
      }
    }
    headers.add(new Header("Idempotent-Replayed", "true"));
    return new Answer(outcome.status(), headers, outcome.body(), Answer.Source.REPLAY);
  }
}
