// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Bytes;

/**
 * A store that remembers parts of an operation inside its entry, so that a takeover cannot miss
 * one.
 */
public interface Steps {

  /**
   * Remembers {@code result} under {@code name} in the owner's unsettled entry. The first write of
   * a name wins; true also when the name is there. False if the entry is settled or not the
   * owner's.
   *
   * @throws IllegalArgumentException if the name is not well-formed Unicode
   * @throws RefusedCallException if the steps of the entry would take more than {@link
   *     #largestSteps()} bytes
   */
  boolean step(Owner owner, String name, Bytes result);

  /** Returns how many bytes the names and results of an entry may take together. */
  int largestSteps();
}
