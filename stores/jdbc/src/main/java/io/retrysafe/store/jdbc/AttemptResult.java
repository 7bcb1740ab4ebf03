// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;

/** What became of a call that was put to the database once. */
sealed interface AttemptResult<T> {

  /** It was answered, and committed where it changed something. */
  record Answered<T>(T value) implements AttemptResult<T> {}

  /** What was read and what was decided are of two moments, or the row is in use: ask again. */
  record Undecided<T>() implements AttemptResult<T> {}

  /** The answer is too large to come with those of others: ask for the whole. */
  record Large<T>() implements AttemptResult<T> {}

  /** None came in time, and none is taken any more. */
  record None<T>() implements AttemptResult<T> {}

  /** The database refuses the values of this call, and nothing was changed. */
  record Refused<T>(SQLException error) implements AttemptResult<T> {}

  /** It failed; {@code error} says how. */
  record Failed<T>(Throwable error) implements AttemptResult<T> {}
}
