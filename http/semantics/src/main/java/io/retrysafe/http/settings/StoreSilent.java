// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

/** How requests are treated while the store does not answer. */
public enum StoreSilent {
  /** It is refused with 503 {@code store-unavailable}: nothing runs unrecorded. */
  CLOSED,
  /** It runs, and is answered, without any protection. */
  OPEN
}
