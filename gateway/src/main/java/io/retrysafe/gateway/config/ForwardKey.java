// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

/** {@code forward-key}: which key the upstream gets. */
public enum ForwardKey {
  /** The caller's own, as it was sent. */
  SAME,
  /**
   * A key derived from account, method, path and key: keys of different callers never collide at
   * the upstream.
   */
  DERIVED,
  /** None: the gateway removes the key header. */
  NONE
}
