// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.transaction;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** A check that operations begin outside of any transaction. */
public final class NoActiveTransaction {
  private static final boolean ARE_THERE =
      ClassUtils.isPresent(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          NoActiveTransaction.class.getClassLoader());

  private NoActiveTransaction() {}

  /** A transaction around an operation could roll back what is recorded as done. */
  public static void require(String what) {
    if (ARE_THERE && TransactionSynchronizationManager.isActualTransactionActive()) {
      throw new IllegalStateException(
          what
              + " is called inside a transaction, which could be rolled back after its answer was"
              + " recorded; call it from outside, or let it begin the transaction itself"
              + " (transaction = JOIN)");
    }
  }
}
