// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What happened, line by line; written only for histories that are replayed. */
final class Trace {
  private final LongSupplier clock;
  private final boolean isOn;
  private final List<String> lines = new ArrayList<>();

  Trace(LongSupplier clock, boolean isOn) {
    this.clock = clock;
    this.isOn = isOn;
  }

  void log(Supplier<String> line) {
    if (isOn) {
      lines.add(
          String.format(Locale.ROOT, "%10.3f ms  %s", clock.getAsLong() / 1_000_000.0, line.get()));
    }
  }

  List<String> lines() {
    return lines;
  }
}
