// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.http.Header;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A response as it came over the wire.
 *
 * @param continues how many 100 (Continue) came before it
 */
record Reply(int status, List<Header> headers, Bytes body, int continues) {
  private static final Pattern TYPE =
      Pattern.compile("\"type\":\"urn:retrysafe:problem:([a-z-]+)\"");

  List<String> all(String name) {
    return headers.stream().filter(header -> header.is(name)).map(Header::value).toList();
  }

  boolean isReplayed() {
    return all("Idempotent-Replayed").contains("true");
  }

  String text() {
    return body.toUtf8();
  }

  /** Returns the name of the problem, or what came instead. */
  String problem() {
    Matcher type = TYPE.matcher(text());
    boolean isProblem =
        all("Content-Type").stream().anyMatch(t -> t.startsWith("application/problem+json"));
    return isProblem && type.find() ? type.group(1) : "no problem: " + this;
  }

  /** Returns whether a problem has this member with this value, as JSON text. */
  boolean has(String member, String value) {
    return text().contains("\"" + member + "\":" + value + ",")
        || text().contains("\"" + member + "\":" + value + "}");
  }

  @Override
  public String toString() {
    String shown = text();
    return status
        + " "
        + headers.stream().map(h -> h.name() + ": " + h.value()).toList()
        + " "
        + shown.substring(0, Math.min(300, shown.length()));
  }
}
