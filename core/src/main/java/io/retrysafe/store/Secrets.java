// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Bytes;

/**
 * A store that keeps a few small values which all processes on it share, such as the secret that
 * makes accounts of credentials. Values never expire, and no sweep removes them.
 */
public interface Secrets {
  /** The most bytes that a value may have. */
  int LARGEST = 1024;

  /**
   * Keeps {@code value} under {@code name} unless a value is kept there, and returns the one that
   * is kept: the first write of all processes wins. One atomic step, which may be repeated.
   *
   * @param name 1 to 64 lower-case letters, digits and hyphens
   * @param value 1 to {@link #LARGEST} bytes
   * @throws IllegalArgumentException if the name or the value is not so
   */
  Bytes keep(String name, Bytes value);

  /**
   * Checks what is to be kept, for stores.
   *
   * @throws IllegalArgumentException as {@link #keep} does
   */
  static void check(String name, Bytes value) {
    if (!name.matches("[a-z0-9-]{1,64}")) {
      throw new IllegalArgumentException(
          "the name of a secret must be 1 to 64 lower-case letters, digits and hyphens, was \""
              + name
              + '"');
    }
    if (value.isEmpty() || value.size() > LARGEST) {
      throw new IllegalArgumentException(
          "the secret " + name + " must have 1 to " + LARGEST + " bytes, had " + value.size());
    }
  }
}
