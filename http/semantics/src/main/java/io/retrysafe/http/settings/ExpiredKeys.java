// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

/** How UUIDv7 and ULID keys older than the retention are treated. */
public enum ExpiredKeys {
  /** It is a new operation, like any key that is not known any more. */
  RUN,
  /** It is refused with 400 {@code key-expired}: its operation may be done and forgotten. */
  REFUSE
}
