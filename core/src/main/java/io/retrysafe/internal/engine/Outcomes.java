// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.AnswerNotKeptException;
import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import io.retrysafe.OperationFailedException;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import io.retrysafe.Outcome.Kind;
import io.retrysafe.internal.UnicodeText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Results and failures of Java calls as outcomes, and back. */
final class Outcomes {
  private static final int LONGEST_MESSAGE = 2000;
  private static final String TYPE = "type";
  private static final String MESSAGE = "message";

  private Outcomes() {}

  static Outcome failed(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return Outcome.failed(
        0,
        List.of(
            new Attribute(TYPE, failure.getClass().getName()),
            // A failure must be recorded, whatever its message contains.
            new Attribute(MESSAGE, UnicodeText.storable(message, LONGEST_MESSAGE))),
        Bytes.EMPTY);
  }

  /** Returns the result that an outcome stands for, or throws what it failed with. */
  static <T extends @Nullable Object> T result(OperationKey key, Outcome outcome, Codec<T> codec) {
    if (outcome.kind() == Kind.FAILED) {
      throw failure(key, outcome);
    }
    if (!outcome.isKept()) {
      throw new AnswerNotKeptException(key, outcome.status());
    }
    return codec.decode(outcome.body());
  }

  static OperationFailedException failure(OperationKey key, Outcome outcome) {
    return new OperationFailedException(
        key, attribute(outcome, TYPE, "a failure"), attribute(outcome, MESSAGE, "not kept"));
  }

  private static String attribute(Outcome outcome, String name, String otherwise) {
    return outcome.attributes().stream()
        .filter(attribute -> attribute.name().equals(name))
        .map(Attribute::value)
        .findFirst()
        .orElse(otherwise);
  }
}
