// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.UnicodeText;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who changes something, and why. Both are kept in the audit.
 *
 * @param actor who, 1 to 100 characters; what a person says of itself, not proven by anything
 * @param reason why, 1 to 500 characters; never a secret
 */
public record Because(String actor, String reason) {
  public Because {
    check("actor", actor, 100);
    check("reason", reason, 500);
  }

  /**
   * Returns who and why from the members {@code actor} ("operator" by default) and {@code reason}
   * of a request.
   *
   * @throws IllegalArgumentException if there is no reason
   */
  public static Because of(Map<String, @Nullable Object> members) {
    Members wanted = new Members(members, members.keySet());
    return new Because(wanted.text("actor").orElse("operator"), wanted.text("reason").orElse(""));
  }

  private static void check(String name, String text, int most) {
    if (text.isBlank() || text.length() > most || text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          name
              + " is needed: 1 to "
              + most
              + " characters on one line without control characters, had "
              + text.length());
    }
    UnicodeText.checked(name, text);
  }
}
