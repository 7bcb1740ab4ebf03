// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;

/** What one attempt to answer a request led to. */
sealed interface AttemptResult<T> {

  /** It was answered, and committed where it changed something. */
  record Answered<T>(T value) implements AttemptResult<T> {}

  /** The row changed between two looks at it, or another transaction uses it: send it again. */
  record Undecided<T>() implements AttemptResult<T> {}

  /** The answer is too large to come with those of others: read it by itself. */
  record Large<T>() implements AttemptResult<T> {}

  /** None came in time, and none is taken any more. */
  record None<T>() implements AttemptResult<T> {}

  /** The database refuses the values of this request, and nothing was changed. */
  record Refused<T>(SQLException error) implements AttemptResult<T> {}

  /** It failed; {@code error} says how. */
  record Failed<T>(Throwable error) implements AttemptResult<T> {}
}
