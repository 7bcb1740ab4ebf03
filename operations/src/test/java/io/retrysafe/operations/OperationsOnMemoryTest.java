// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.Store;

class OperationsOnMemoryTest extends OperationsContract {
  private static final Store STORE = MemoryStore.create();

  @Override
  Store store() {
    return STORE;
  }
}
