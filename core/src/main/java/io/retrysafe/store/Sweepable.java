// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import java.util.List;

/**
 * A store whose backend does not remove expired entries by itself. Several sweepers may run at
 * once.
 */
public interface Sweepable {

  /**
   * Removes at most {@code limit} entries that expired, or were freed so long ago that no repeated
   * release can be under way. Claims are never held up by it, and fences keep growing past it.
   */
  Swept sweep(int limit);

  /**
   * What a sweep removed.
   *
   * @param removed how many entries
   * @param unsettled those of them that never got an outcome: after the sweep no trace is left
   */
  record Swept(int removed, List<Entry> unsettled) {
    public Swept {
      unsettled = List.copyOf(unsettled);
    }
  }
}
