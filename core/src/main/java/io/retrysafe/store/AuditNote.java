// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.internal.UnicodeText;

/**
 * The person or program that changes an operation, and why. The audit keeps both.
 *
 * @param actor who, 1 to 100 characters on one line; a name that is given, not proven
 * @param reason why, 1 to 500 characters on one line; never a secret
 */
public record AuditNote(String actor, String reason) {
  private static final int LONGEST_ACTOR = 100;
  private static final int LONGEST_REASON = 500;

  public AuditNote {
    check("actor", actor, LONGEST_ACTOR);
    check("reason", reason, LONGEST_REASON);
  }

  private static void check(String name, String text, int most) {
    if (text.isBlank() || text.length() > most || text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "%s must have 1 to %d characters on one line, without control characters; had %d"
              .formatted(name, most, text.length()));
    }
    UnicodeText.checked(name, text);
  }
}
