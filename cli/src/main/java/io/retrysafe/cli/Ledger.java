// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

/** What was charged. It charges whatever it is asked to, every time it is asked. */
final class Ledger {
  private int charges;
  private long cents;

  /** Charges and returns the name of the payment. */
  synchronized String charge(long amount) {
    charges++;
    cents += amount;
    return "pay_" + charges;
  }

  synchronized int charges() {
    return charges;
  }

  synchronized long cents() {
    return cents;
  }
}
