// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

/** A request that is refused before the store is asked. */
final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Answer answer;

  RefusedException(Answer answer) {
    super(null, null, false, false);
    this.answer = answer;
  }

  Answer answer() {
    return answer;
  }
}
