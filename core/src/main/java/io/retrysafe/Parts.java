// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Store;

/** The parts of one engine. */
record Parts(
    Store store,
    AsyncStore async,
    StoreCaller thread,
    Seam seam,
    Asking asking,
    Events events,
    Heartbeat heartbeat,
    Background background,
    Waiters waiters) {}
