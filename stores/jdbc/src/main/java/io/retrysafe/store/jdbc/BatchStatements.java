// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;
import java.util.List;

/** The statements with which a database answers one request or many at once. */
interface BatchStatements {

  /**
   * Sends all {@code requests}, sorted by id, and sets their results once they are durable. A
   * failure that is thrown changed nothing that the callers without a result know of. If it is
   * {@link SqlErrorKind#isOfOneCall of one call}, each of them may be to blame.
   */
  void run(Session session, List<PendingRequest<?>> requests) throws SQLException;

  /**
   * Returns whether claims are of new keys at present. They then share lanes of their own, so that
   * a batch has one statement and not two.
   */
  default boolean claimsAreNew() {
    return false;
  }
}
