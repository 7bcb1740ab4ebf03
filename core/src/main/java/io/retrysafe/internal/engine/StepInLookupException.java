// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.OperationKey;

/** A mistake in an application: its lookup ran a step of the operation that it was asked about. */
final class StepInLookupException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  StepInLookupException(OperationKey key) {
    super(
        "the lookup of "
            + key
            + " tried to run a step; a lookup only asks whether the effect happened. Return what it"
            + " found, and run steps in the operation's work");
  }
}
