// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;
import java.util.List;

/** The way in which a database takes many calls at once. */
interface BatchStatements {

  /**
   * Puts all {@code calls}, at least two and sorted by id, and replies to them once they are
   * durable. A failure that is thrown changed nothing that the callers without a reply know of. If
   * it is {@link SqlErrorKind#isOfOneCall of one call}, each of them may be to blame.
   */
  void run(Session session, List<PendingRequest<?>> calls) throws SQLException;
}
