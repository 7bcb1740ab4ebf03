// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

/** Words of a command line that people copy. */
final class Shell {
  private Shell() {}

  /** Returns {@code word} so that a shell takes it as one, whatever is in it. */
  static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./:@%+=-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
