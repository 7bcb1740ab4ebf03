// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

/** {@code mode}: whether the gateway stops duplicates or only counts them. */
public enum Mode {
  /** The gateway stops duplicates and answers them. */
  ENFORCE,
  /** The gateway forwards every request, and counts and logs those that it would have stopped. */
  OBSERVE
}
