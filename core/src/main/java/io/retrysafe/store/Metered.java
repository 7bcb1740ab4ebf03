// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import java.util.Set;

/**
 * A store that can count what it holds. Counting reads every entry, so it is for background work
 * only, at most every half minute.
 */
public interface Metered {
  /** What an entry counts besides its key, its steps and its outcome. */
  int ENTRY_BYTES = 256;

  /**
   * Counts all entries that are neither freed nor expired, eventually right: changes during the
   * count may be missed.
   *
   * @param entries how many entries make an account a large one, at least 1
   * @param bytes how many bytes make an account a large one, at least 1
   */
  Usage usage(long entries, long bytes);

  /**
   * What a store holds.
   *
   * @param entries how many entries
   * @param bytes how many bytes: {@link #ENTRY_BYTES} for each entry, and the keys, steps and
   *     outcomes as they are stored
   * @param largeAccounts the accounts that have reached a limit of the question
   */
  record Usage(long entries, long bytes, Set<String> largeAccounts) {
    public Usage {
      largeAccounts = Set.copyOf(largeAccounts);
    }
  }
}
