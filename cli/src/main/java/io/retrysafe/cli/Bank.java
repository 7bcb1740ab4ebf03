// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.time.Duration;

/** A bank that charges whatever it is asked to, every time it is asked, and keeps count. */
final class Bank {
  private final Duration latency;
  private int charges;
  private long cents;

  /** A bank that takes {@code latency} for every charge, as real ones do. */
  Bank(Duration latency) {
    this.latency = latency;
  }

  /** Charges the card and returns the number of the receipt. */
  String charge(long amount) throws InterruptedException {
    Thread.sleep(latency.toMillis());
    synchronized (this) {
      charges++;
      cents += amount;
      return "receipt " + charges;
    }
  }

  synchronized int charges() {
    return charges;
  }

  synchronized long cents() {
    return cents;
  }
}
