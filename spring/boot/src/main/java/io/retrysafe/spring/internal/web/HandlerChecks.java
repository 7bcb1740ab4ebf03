// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import io.retrysafe.spring.internal.startup.MethodChecks;
import io.retrysafe.spring.internal.startup.StartupException;
import io.retrysafe.spring.internal.transaction.TransactionJoiner;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.springframework.util.ClassUtils;

/** Checks of annotated handlers at startup. */
final class HandlerChecks {
  private final Supplier<TransactionJoiner> joining;
  private final BooleanSupplier hasReplayAuthorizer;

  HandlerChecks(Supplier<TransactionJoiner> joining, BooleanSupplier hasReplayAuthorizer) {
    this.joining = joining;
    this.hasReplayAuthorizer = hasReplayAuthorizer;
  }

  /** Checks all annotated handlers together. */
  void handlers(Collection<Method> handlers, boolean isAnyJoined) {
    if (isAnyJoined) {
      joining.get().check();
    }
    if (!hasReplayAuthorizer.getAsBoolean()) {
      MethodChecks.warnOf(MethodChecks.secured(handlers));
    }
  }

  /** Refuses to join a handler that goes on in another thread. */
  void joinable(Method handler) {
    if (MethodChecks.isLater(handler.getReturnType())) {
      throw new StartupException(
          ClassUtils.getQualifiedMethodName(handler)
              + " goes on in another thread, so its transaction cannot be joined.",
          "Return the result itself, or use transaction = SEPARATE.");
    }
  }
}
