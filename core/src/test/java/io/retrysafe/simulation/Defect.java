// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.EventLoop;
import io.retrysafe.store.Store;

/** A defect that is planted to see whether the simulator finds it. */
interface Defect {
  /** No defect. */
  Defect NONE = new Defect() {};

  /** Returns {@code store} with the defect, where it is one of stores. */
  default Store inStore(Store store, World world) {
    return new PassingStore(store);
  }

  /** Returns what the engine takes for the store, where it is a defect of engines. */
  default Store inEngine(Store wire, Machine machine) {
    return wire;
  }

  /** Returns the event loop with the defect, where it is one of loops. */
  default EventLoop inLoop(EventLoop loop, Machine machine) {
    return loop;
  }
}
