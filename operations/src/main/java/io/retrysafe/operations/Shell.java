// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

/** Quotes arguments of commands that people copy. */
final class Shell {
  private Shell() {}

  /** Returns {@code word} quoted so that a shell reads it as one argument. */
  static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./:@%+=-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
