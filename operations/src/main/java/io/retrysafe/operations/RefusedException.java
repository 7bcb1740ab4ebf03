// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import org.jspecify.annotations.Nullable;

/** A request that was refused, and why. Nothing was changed. */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why a request is refused. The names are stable: programs decide by them. */
  public enum Reason {
    /** There is no such operation, or it was forgotten. */
    NOT_FOUND("not-found"),
    /** The operation is running: its lease has not ended. */
    LEASED("leased"),
    /** The operation is settled already. */
    SETTLED("settled"),
    /** The operation is not settled, so there is no answer. */
    NOT_SETTLED("not-settled"),
    /** The operation was settled without keeping its answer. */
    ANSWER_NOT_KEPT("answer-not-kept"),
    /** The operation has changed since the operator saw it. */
    CHANGED("changed"),
    /** The store holds too many operations to search all of them. */
    NOT_FINISHED("not-finished"),
    /** The store holds data that this release cannot decode. */
    UNREADABLE("unreadable"),
    /** The store does not support the request. */
    NOT_SUPPORTED("not-supported");

    private final String word;

    Reason(String word) {
      this.word = word;
    }

    /** Returns the name in messages and documents, such as {@code not-found}. */
    public String word() {
      return word;
    }
  }

  private final Reason reason;

  RefusedException(Reason reason, String message) {
    this(reason, message, null);
  }

  RefusedException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  static RefusedException unreadable(@Nullable String problem, @Nullable Throwable cause) {
    return new RefusedException(
        Reason.UNREADABLE,
        "The store holds something that this release cannot read: " + problem,
        cause);
  }

  public Reason reason() {
    return reason;
  }

  /** Returns why. */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
