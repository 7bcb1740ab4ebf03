// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.http.settings.OnFailure;
import io.retrysafe.http.settings.Settings;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The meaning of a handler's status for its operation, if the handler does not state it. */
final class OutcomeRules {
  private OutcomeRules() {}

  /**
   * Returns what the status means.
   *
   * @param isUnknown whether the outcome is unknown, if the status means a failure
   */
  static OutcomeKind of(
      HttpPolicy policy, int status, List<Header> headers, BooleanSupplier isUnknown) {
    boolean hasRetryAfter = Headers.first(headers, "Retry-After").isPresent();
    if (policy.get(Settings.UNKNOWN).contains(status, hasRetryAfter)) {
      return OutcomeKind.UNKNOWN;
    }
    if (policy.get(Settings.REFUSED).contains(status, hasRetryAfter)) {
      return OutcomeKind.REFUSED;
    }
    if (status >= 500 && isUnknown.getAsBoolean()) {
      return OutcomeKind.UNKNOWN;
    }
    boolean isSuccess = status >= 200 && status < 400;
    if (policy.get(Settings.FAILURES) == OnFailure.SUCCESS_ONLY && !isSuccess) {
      return OutcomeKind.REFUSED;
    }
    return status >= 500 ? OutcomeKind.FAILED : OutcomeKind.FINAL;
  }
}
