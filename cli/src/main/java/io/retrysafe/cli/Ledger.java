// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

/** Counts charges. Every request is a new charge. */
final class Ledger {
  private int charges;
  private long cents;

  /** Charges and returns the id of the payment. */
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
