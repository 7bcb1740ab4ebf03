// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Store;

/** The parts of one engine. */
record Parts(
    Store store,
    Seam seam,
    Asking asking,
    Events events,
    Heartbeat heartbeat,
    Background background,
    Waiters waiters) {}
