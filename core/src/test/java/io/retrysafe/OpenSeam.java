// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** The engine's seam, opened for the simulator, which lives in a package of its own. */
public interface OpenSeam extends Seam {

  /** Returns an engine that touches the world only through {@code seam}. */
  static Retrysafe build(Retrysafe.Builder builder, OpenSeam seam) {
    return builder.seam(seam).build();
  }
}
