// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;

/** What became of a call that was put to the database once. */
sealed interface Reply<T> {

  /** It was answered, and committed where it changed something. */
  record Answered<T>(T value) implements Reply<T> {}

  /** What was read and what was decided are of two moments, or the row is in use: ask again. */
  record Undecided<T>() implements Reply<T> {}

  /** The answer is too large to come with those of others: ask for the whole. */
  record Large<T>() implements Reply<T> {}

  /** None came in time, and none is taken any more. */
  record None<T>() implements Reply<T> {}

  /** The database refuses the values of this call, and nothing was changed. */
  record Refused<T>(SQLException error) implements Reply<T> {}

  /** It failed; {@code error} says how. */
  record Failed<T>(Throwable error) implements Reply<T> {}
}
