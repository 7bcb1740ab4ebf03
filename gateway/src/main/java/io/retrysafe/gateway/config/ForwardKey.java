// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

/** {@code forward-key}: which key the upstream gets. */
public enum ForwardKey {
  /** The caller's own, as it was sent. */
  SAME,
  /** One derived from account, method, path and key: callers' keys cannot meet at the upstream. */
  DERIVED,
  /** None: the key header is not sent on. */
  NONE
}
