// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

/** The kinds of store calls that may fail while others work. */
enum CallKind {
  CLAIM,
  COMPLETION,
  OTHER
}
