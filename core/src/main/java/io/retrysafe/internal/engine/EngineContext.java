// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.store.Store;

/** The collaborators that the classes of one engine share. */
record EngineContext(
    Store store,
    AsyncStore async,
    StoreCaller thread,
    EngineRuntime runtime,
    StoreRetries retries,
    Events events,
    Heartbeat heartbeat,
    PendingWrites pendingWrites,
    Waiters waiters) {}
