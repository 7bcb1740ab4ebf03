// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome.Attribute;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An operator's finding about an operation whose outcome is unknown. */
public sealed interface Verdict {

  /**
   * The effect happened: retries get this answer from now on.
   *
   * @param status an HTTP status, or 0 for an operation that has none
   * @param headers named strings
   * @param body bytes
   * @param retention how long retries are answered
   */
  record Done(int status, List<Attribute> headers, Bytes body, Duration retention)
      implements Verdict {
    /** The default retention, a day. */
    public static final Duration RETENTION = Duration.ofHours(24);

    public Done {
      headers = List.copyOf(headers);
      if (status != 0 && (status < 200 || status > 599)) {
        throw new IllegalArgumentException("status must be from 200 to 599, was " + status);
      }
      if (retention.isNegative() || retention.isZero()) {
        throw new IllegalArgumentException("retention must be positive, was " + retention);
      }
    }
  }

  /** The effect did not happen: the next retry runs it. */
  record NotDone() implements Verdict {}

  /** The members that {@link #of} takes. */
  Set<String> NAMES =
      Set.of(
          "outcome",
          "status",
          "headers",
          "body",
          "body_base64",
          "retention",
          "reason",
          "actor",
          "fence");

  /**
   * Returns the verdict that a request's members describe: {@code outcome} (done or not_done), and
   * for done {@code status}, {@code headers} (each with name and value), {@code body} or {@code
   * body_base64}, {@code retention} (24h by default).
   *
   * @throws IllegalArgumentException if a member is unknown or wrong; the message names it
   */
  static Verdict of(Map<String, @Nullable Object> members) {
    Members wanted = new Members(members, NAMES);
    String outcome = wanted.text("outcome").orElse("");
    if (outcome.equals("not_done")) {
      if (members.keySet().stream()
          .anyMatch(Set.of("status", "headers", "body", "body_base64", "retention")::contains)) {
        throw new IllegalArgumentException("not_done takes no status, headers, body or retention");
      }
      return new NotDone();
    }
    if (!outcome.equals("done")) {
      throw new IllegalArgumentException("outcome must be done or not_done, was " + outcome);
    }
    return new Done(
        status(wanted.number("status").orElse(0L)),
        wanted.headers(),
        wanted.body(),
        wanted
            .text("retention")
            .map(text -> Members.duration("retention", text))
            .orElse(Done.RETENTION));
  }

  private static int status(long number) {
    return number == (int) number ? (int) number : -1;
  }

  /**
   * Parses a duration such as {@code 24h}.
   *
   * @param name the name for the error message
   */
  static Duration duration(String name, String text) {
    return Members.duration(name, text);
  }
}
