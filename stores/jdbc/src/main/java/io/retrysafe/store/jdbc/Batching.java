// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;
import java.util.List;

/** The way in which a database takes many calls at once. */
interface Batching {

  /**
   * Puts all {@code calls}, at least two and sorted by id, and replies to them once they are
   * durable. A call whose own values the database refuses fails by itself; any other failure is
   * thrown, and then nothing was changed that a caller knows of.
   */
  void run(Session session, List<Call<?>> calls) throws SQLException;
}
