// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Listener;
import io.retrysafe.Policy;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.List;

/**
 * The settings of one engine, as {@link io.retrysafe.Retrysafe.Builder} describes them.
 *
 * @param policy the policy of calls that bring none
 * @param hasHistory whether events are written to the store's history
 */
public record EngineSettings(
    Store store,
    EngineRuntime runtime,
    String name,
    Policy policy,
    List<Listener> listeners,
    Duration storeDeadline,
    Duration sweepEvery,
    List<RecoverySchedule> recoveries,
    int waiters,
    long pendingMemory,
    boolean hasHistory) {

  public EngineSettings {
    listeners = List.copyOf(listeners);
    recoveries = List.copyOf(recoveries);
  }
}
