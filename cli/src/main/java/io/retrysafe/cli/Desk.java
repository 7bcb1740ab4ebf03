// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.operations.Because;
import io.retrysafe.operations.Result;
import io.retrysafe.operations.Verdict;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where commands about operations are carried out: in a store, or by a gateway that has one. */
interface Desk extends AutoCloseable {

  /**
   * Returns the operations that fit.
   *
   * @param query as {@link io.retrysafe.operations.OperationQuery#of} takes it
   */
  Result list(Map<String, String> query);

  /** Returns a page of operations and the cursor of the next one. */
  Found find(Map<String, String> query);

  Result explain(Map<String, String> query);

  Result show(String id);

  Result answer(String id);

  Result resolve(String id, Verdict verdict, Because because);

  Result forget(String id, Because because);

  /**
   * Returns what operators did.
   *
   * @param query as {@link io.retrysafe.operations.AuditQuery#of} takes it
   */
  Result audit(Map<String, String> query);

  Result stats();

  Result sweep();

  @Override
  void close();

  /**
   * A part of a search.
   *
   * @param unreadable why operations among them cannot be read
   */
  record Found(
      List<Map<String, Object>> operations, List<String> unreadable, Optional<String> next) {}
}
