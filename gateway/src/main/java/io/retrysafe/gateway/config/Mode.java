// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

/** {@code mode}: whether the gateway acts or only looks. */
public enum Mode {
  /** Duplicates are stopped and answered. */
  ENFORCE,
  /**
   * Every request passes as if nobody looked; what would have been stopped is counted and logged.
   */
  OBSERVE
}
