// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.io.Console;

/** Detects a terminal. */
final class Terminal {
  private Terminal() {}

  /** Returns whether input and output are a terminal, and no file, pipe or service manager. */
  @SuppressWarnings("SystemConsoleNull") // it does on Java 17, and later ones are asked below
  static boolean isThere() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      // From Java 22 on there is always a console, and it says whether it is a terminal.
      return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException e) {
      return true;
    }
  }
}
