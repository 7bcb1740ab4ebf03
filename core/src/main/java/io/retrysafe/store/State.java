// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import java.util.Locale;

/** An entry's state as people see it, in consoles, tables and logs. */
public enum State {
  IN_PROGRESS,
  UNKNOWN,
  RESUMABLE,
  COMPLETED,
  FAILED;

  /** Returns the state's name as it is written everywhere: {@code in_progress} for example. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
