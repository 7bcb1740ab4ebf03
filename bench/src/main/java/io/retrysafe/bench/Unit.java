// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

/** A unit of time that people read. */
enum Unit {
  MICROSECONDS("us", 1e3),
  MILLISECONDS("ms", 1e6);

  private final String symbol;
  private final double nanos;

  Unit(String symbol, double nanos) {
    this.symbol = symbol;
    this.nanos = nanos;
  }

  double of(double nanoseconds) {
    return nanoseconds / nanos;
  }

  @Override
  public String toString() {
    return symbol;
  }
}
