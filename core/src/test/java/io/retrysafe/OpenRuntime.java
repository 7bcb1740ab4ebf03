// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** The engine's runtime, opened for the simulator, which lives in a package of its own. */
public interface OpenRuntime extends EngineRuntime {

  /** Returns an engine that touches the world only through {@code runtime}. */
  static Retrysafe build(Retrysafe.Builder builder, OpenRuntime runtime) {
    return builder.runtime(runtime).build();
  }
}
