// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.payments;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Makes what can go wrong go wrong, as the header {@code X-Trouble} says: {@code slow} takes three
 * seconds, {@code crash} ends the process.
 */
@Component
final class Trouble {

  /** Called before the row is written: SQLite has one writer, who had better not sleep. */
  void before() {
    if ("slow".equals(wanted())) {
      try {
        Thread.sleep(3000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Called after the row was written, and before it is committed. */
  void after() {
    if ("crash".equals(wanted())) {
      Runtime.getRuntime().halt(137);
    }
  }

  private static @Nullable String wanted() {
    return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes web
        ? web.getRequest().getHeader("X-Trouble")
        : null;
  }
}
