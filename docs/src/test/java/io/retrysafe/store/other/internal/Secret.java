// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.other.internal;

/** What only the other store may see, and the wrong one sees. */
public final class Secret {}
