// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import java.util.Locale;

/** What a contract run says of a rule. Of several tests of a rule the first of these counts. */
enum Verdict {
  FAILED,
  PASSED,
  /** The store is built so that the rule's situation cannot come up. */
  NOT_APPLICABLE,
  /** The rule is about a capability that the store does not have. */
  NOT_OFFERED;

  /** Returns the verdict as tables and reasons say it, such as {@code not offered}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
