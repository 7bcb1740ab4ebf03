// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

/** What becomes of a UUIDv7 or ULID key that is older than the retention. */
public enum ExpiredKeys {
  /** It is a new operation, like any key that is not known any more. */
  RUN,
  /** It is refused with 400 {@code key-expired}: what it once named may be done and forgotten. */
  REFUSE
}
