// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

/** One line on stderr that says where a run is, on terminals only. */
final class Progress {
  private final boolean isTerminal;

  Progress(boolean isTerminal) {
    this.isTerminal = isTerminal;
  }

  void show(String line) {
    if (isTerminal) {
      System.err.print("\r\033[K" + line);
    }
  }

  void end() {
    show("");
  }
}
