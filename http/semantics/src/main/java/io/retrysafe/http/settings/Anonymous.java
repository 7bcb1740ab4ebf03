// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

/** What callers without identity get. */
public enum Anonymous {
  /** They are refused with 400 {@code account-missing}. */
  REFUSE,
  /** They share one account: whoever sends the same key and request gets the same answer. */
  SHARED
}
