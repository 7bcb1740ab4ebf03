// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

/** How callers without identity are treated. */
public enum Anonymous {
  /** They are refused with 400 {@code account-missing}. */
  REFUSE,
  /** They share one account: all callers that send the same key and request get the same answer. */
  SHARED
}
