// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.memory;

/** A phase of the contract, or freed: absent except for a repeated release. */
enum RowPhase {
  RUNNING,
  RESUMABLE,
  UNKNOWN,
  SETTLED,
  FREED
}
