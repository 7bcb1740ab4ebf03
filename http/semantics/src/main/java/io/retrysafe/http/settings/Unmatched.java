// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

/** How requests are treated that no route matches. */
public enum Unmatched {
  /** They pass untouched. */
  PASS,
  /** They are guarded as the settings for all routes say. */
  GUARD
}
