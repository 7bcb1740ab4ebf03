// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testkit;

import java.util.Locale;

/**
 * The result of a rule in a contract run. If a rule has several tests, the first of these counts.
 */
public enum Verdict {
  FAILED,
  PASSED,
  /** The subject cannot get into the rule's situation. */
  NOT_APPLICABLE,
  /** The rule is about a capability that the subject does not have. */
  NOT_OFFERED;

  /** Returns the verdict as tables and reasons say it, such as {@code not offered}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
