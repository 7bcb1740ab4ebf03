// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.internal.engine.EngineRuntime;
import io.retrysafe.store.Store;

/** Engines whose time and threads a test controls. */
public final class TestEngines {
  private TestEngines() {}

  /** Returns a builder of an engine that touches the world only through {@code runtime}. */
  public static Retrysafe.Builder builder(Store store, EngineRuntime runtime) {
    return Retrysafe.builder(store).runtime(runtime);
  }
}
