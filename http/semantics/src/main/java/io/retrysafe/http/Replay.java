// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

/** A recorded answer on its way to a caller, for those who decide whether the caller may see it. */
public final class Replay {
  private final Plan.ReadBody plan;
  private final Answer answer;

  Replay(Plan.ReadBody plan, Answer answer) {
    this.plan = plan;
    this.answer = answer;
  }

  /** Returns the route. */
  public Route route() {
    return plan.route();
  }

  /** Returns the request that asks for the answer. */
  public RequestHead request() {
    return plan.head();
  }

  /** Returns what would be sent. */
  public Answer answer() {
    return answer;
  }

  /**
   * Returns the problem {@code replay-refused} to send instead.
   *
   * @param status such as 401 or 403
   */
  public Answer refused(int status) {
    if (status < 400 || status > 499) {
      throw new IllegalArgumentException(
          "the status of a refused replay must be from 400 to 499, was " + status);
    }
    return route().answers().replayRefused(status);
  }

  @Override
  public String toString() {
    return route() + ": " + answer;
  }
}
