// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Store;
import io.retrysafe.store.Wakeups;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A store that tells of ends when the test says so, and which keys somebody wants to know of. */
final class TellingStore extends PlainStore implements Wakeups {
  private final Map<OperationKey, Runnable> watched = new HashMap<>();

  TellingStore(Store store) {
    super(store);
  }

  Set<OperationKey> watched() {
    return watched.keySet();
  }

  void tell(OperationKey key) {
    watched.getOrDefault(key, () -> {}).run();
  }

  @Override
  public Watch watch(OperationKey key, Runnable wake) {
    if (watched.put(key, wake) != null) {
      throw new IllegalStateException("one watch is enough for all who wait here");
    }
    return () -> watched.remove(key);
  }
}
