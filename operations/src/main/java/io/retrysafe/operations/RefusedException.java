// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import org.jspecify.annotations.Nullable;

/** An operator's wish that was not done, and why. Nothing was changed. */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why a wish is refused. The names are stable: programs decide by them. */
  public enum Reason {
    /** There is no such operation, or no longer. */
    NOT_FOUND("not-found"),
    /** Somebody is running it: its lease stands. */
    LEASED("leased"),
    /** It is settled already. */
    SETTLED("settled"),
    /** It is not settled, so there is no answer. */
    NOT_SETTLED("not-settled"),
    /** It was settled without keeping its answer. */
    ANSWER_NOT_KEPT("answer-not-kept"),
    /** It is not what was seen any more. */
    CHANGED("changed"),
    /** The store holds too much to say whether it is there. */
    NOT_FINISHED("not-finished"),
    /** The store holds something that cannot be decoded. */
    UNREADABLE("unreadable"),
    /** The store cannot do that. */
    NOT_SUPPORTED("not-supported");

    private final String word;

    Reason(String word) {
      this.word = word;
    }

    /** Returns the name as it is written everywhere: {@code not-found} for example. */
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

  public Reason reason() {
    return reason;
  }

  /** Returns why. */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
