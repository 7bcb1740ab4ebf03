// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;

/** Keeps a program running until it is stopped, for example by Ctrl-C. */
final class UntilStopped {
  private UntilStopped() {}

  /** Waits; {@code running} is closed when the program ends. */
  static void run(AutoCloseable running, PrintWriter err) throws InterruptedException {
    Thread stop =
        new Thread(
            () -> {
              try {
                running.close();
                err.println("stopped");
              } catch (Exception e) {
                err.println("retrysafe: did not stop cleanly: " + e.getMessage());
              }
              err.flush();
            },
            "stop");
    Runtime.getRuntime().addShutdownHook(stop);
    new CountDownLatch(1).await();
  }
}
