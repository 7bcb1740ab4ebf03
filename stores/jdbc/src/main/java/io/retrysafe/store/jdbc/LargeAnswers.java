// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * How answers are read that are too large to come with those of other calls: each by a statement of
 * its own, and only so many at once as the memory allows. Callers beyond that wait.
 */
final class LargeAnswers {
  /** The answers of a batch take at most this: each may take its share. */
  private static final int BATCH = 8 * 1024 * 1024;

  /** The most that any answer may take beside others. */
  private static final int SHARE = 256 * 1024;

  /** What most large answers fit into; those that do not are read again as a whole. */
  private static final int USUAL = 1024 * 1024;

  private static final int LARGEST = 8 * 1024 * 1024;

  /** The bytes that the driver has, and those of the outcome that is made of them. */
  private static final int COPIES = 2;

  private static final int KIB = 1024;

  private final SessionPool sessions;
  private final int most;
  private final Semaphore budget;

  LargeAnswers(SessionPool sessions, long memory) {
    this.sessions = sessions;
    this.most = (int) (Math.max(COPIES * LARGEST, Math.min(memory / 8, 16L * LARGEST)) / KIB);
    this.budget = new Semaphore(most, true);
  }

  /** Returns how large an answer may be that comes among {@code calls} in one batch. */
  static int share(int calls) {
    return Math.min(SHARE, BATCH / calls);
  }

  /** Reads an answer that has at most {@code limit} bytes; a larger one is large again. */
  interface Reader<T> {
    AttemptResult<T> read(Session session, int limit) throws SQLException;
  }

  /** Reads the whole answer, waiting for memory until {@code deadline} at most. */
  <T> AttemptResult<T> read(Reader<T> reader, long deadline) throws SQLException {
    AttemptResult<T> result = read(reader, USUAL, USUAL, deadline);
    return result instanceof AttemptResult.Large<T>
        ? read(reader, Integer.MAX_VALUE, LARGEST, deadline)
        : result;
  }

  private <T> AttemptResult<T> read(Reader<T> reader, int limit, int size, long deadline)
      throws SQLException {
    int permits = Math.min(most, COPIES * size / KIB);
    try {
      if (!budget.tryAcquire(permits, deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw new SQLTimeoutException("too many large answers are being read", "57014");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTimeoutException("interrupted while waiting for memory", "57014", e);
    }
    try {
      return sessions.run(deadline, session -> reader.read(session, limit));
    } finally {
      budget.release(permits);
    }
  }
}
