// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

/** Why a request got no answer of a handler. The names are stable: clients decide by them. */
public enum ProblemType {
  METHOD_INVALID("method-invalid", 400, false, "The method is misspelt"),
  KEY_MISSING("key-missing", 400, false, "A key is needed"),
  KEY_INVALID("key-invalid", 400, false, "The key is not valid"),
  KEY_EXPIRED("key-expired", 400, false, "The key is too old"),
  ACCOUNT_MISSING("account-missing", 400, false, "The caller has no identity"),
  ACCOUNT_REFUSED("account-refused", 401, false, "The caller's identity does not hold"),
  BODY_INVALID("body-invalid", 400, false, "The body cannot be read"),
  KEY_REUSED("key-reused", 422, false, "The key belongs to another request"),
  IN_PROGRESS("in-progress", 409, true, "The operation is in progress"),
  OUTCOME_UNKNOWN("outcome-unknown", 409, false, "The outcome of the operation is unknown"),
  ANSWER_NOT_KEPT("answer-not-kept", 409, false, "The operation is done, its answer was not kept"),
  REPLAY_REFUSED("replay-refused", 403, false, "The answer is not for this caller"),
  BODY_TOO_LARGE("body-too-large", 413, false, "The body is too large"),
  TOO_MANY_OPERATIONS("too-many-operations", 429, true, "Too many operations at once"),
  QUOTA_EXCEEDED("quota-exceeded", 429, true, "The account holds too many operations"),
  OPERATION_FAILED("operation-failed", 500, false, "The operation failed"),
  UPSTREAM_UNREACHABLE("upstream-unreachable", 502, true, "The service could not be reached"),
  STORE_UNAVAILABLE("store-unavailable", 503, true, "The record of operations is unavailable"),
  AUTHORIZER_UNAVAILABLE(
      "authorizer-unavailable", 503, true, "Access to the recorded answer cannot be checked"),
  UPSTREAM_SILENT("upstream-silent", 504, false, "The service did not answer"),
  STORE_FULL("store-full", 507, true, "The record of operations is full");

  private final String word;
  private final int status;
  private final boolean isRetryable;
  private final String title;

  ProblemType(String word, int status, boolean isRetryable, String title) {
    this.word = word;
    this.status = status;
    this.isRetryable = isRetryable;
    this.title = title;
  }

  /** Returns the name that ends the problem's {@code type}, such as {@code key-missing}. */
  public String word() {
    return word;
  }

  /** Returns the status that goes with it unless a setting says otherwise. */
  public int status() {
    return status;
  }

  /** Returns whether sending the same request again, with the same key, makes sense. */
  public boolean isRetryable() {
    return isRetryable;
  }

  public String title() {
    return title;
  }
}
