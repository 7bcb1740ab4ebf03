// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Settling;

/**
 * The transaction that a handler runs in, where its effect and the recorded answer are one: {@link
 * #settle} records the answer there and commits.
 */
public interface HandlerTransaction extends Settling {

  /**
   * Undoes what the handler did. Called before anything else is recorded than its success, perhaps
   * more than once; does not throw, since a transaction that cannot be rolled back is not committed
   * either.
   */
  void rollBack();
}
