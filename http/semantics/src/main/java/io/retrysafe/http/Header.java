// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

/**
 * One header field line. Names compare without regard to case, through {@link #is}; values are as
 * they were sent.
 */
public record Header(String name, String value) {

  /** Returns whether this is a line of the field {@code name}. */
  public boolean is(String name) {
    return this.name.equalsIgnoreCase(name);
  }

  /** Names the field only: a value may be a secret. */
  @Override
  public String toString() {
    return name;
  }
}
