// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.util.Locale;
import java.util.Optional;

/** What an answer means for its operation. */
public enum OutcomeKind {
  /** Kept, and replayed to every retry. */
  FINAL,
  /** Refused before any effect: the key is free again, also for a corrected request. */
  REFUSED,
  /** Failed: the setting {@code failures} decides. */
  FAILED,
  /** The effect may have happened: the setting {@code recovery} decides. */
  UNKNOWN;

  /** The response header in which a handler says what its answer means; it is never sent on. */
  public static final String HEADER = "Retrysafe-Outcome";

  /** Returns the kind that the header names, in any case; nothing for another word. */
  public static Optional<OutcomeKind> parse(String word) {
    for (OutcomeKind kind : values()) {
      if (kind.name().toLowerCase(Locale.ROOT).equals(word.strip().toLowerCase(Locale.ROOT))) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
