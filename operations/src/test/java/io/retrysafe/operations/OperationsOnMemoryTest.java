// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;

class OperationsOnMemoryTest extends OperationsContract {
  private static final Store STORE = MemoryStore.create();

  @Override
  Store store() {
    return STORE;
  }
}
