// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.gateway.config.source.ConfigException;
import io.retrysafe.operations.RefusedException;
import io.retrysafe.store.NoAnswerException;

/** Exit codes of the command. The numbers are stable: scripts depend on them. */
final class ExitCodes {
  static final int ERROR = 1;
  static final int USAGE = 2;
  static final int NOT_FOUND = 3;
  static final int AUTH = 4;
  static final int CONFLICT = 5;
  static final int UNAVAILABLE = 6;

  private ExitCodes() {}

  static int of(Exception failure) {
    if (failure instanceof RefusedException refused) {
      return switch (refused.reason()) {
        case NOT_FOUND -> NOT_FOUND;
        case NOT_SUPPORTED, UNREADABLE -> ERROR;
        case NOT_FINISHED -> UNAVAILABLE;
        case LEASED, SETTLED, NOT_SETTLED, ANSWER_NOT_KEPT, CHANGED -> CONFLICT;
      };
    }
    if (failure instanceof AdminException admin) {
      return switch (admin.status()) {
        case 400 -> USAGE;
        case 401, 403 -> AUTH;
        case 404 -> NOT_FOUND;
        case 409 -> CONFLICT;
        case 503 -> UNAVAILABLE;
        default -> ERROR;
      };
    }
    if (failure instanceof AmbiguousKeyException) {
      return CONFLICT;
    }
    if (failure instanceof ConfigException wrong && wrong.isFlag()) {
      return USAGE;
    }
    return failure instanceof NoAnswerException ? UNAVAILABLE : ERROR;
  }
}
