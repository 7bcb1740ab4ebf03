// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.operations.ChangeRequest;
import io.retrysafe.operations.Result;
import io.retrysafe.operations.Verdict;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs commands about operations: on a store, or through a gateway's admin API. */
interface OperationsClient extends AutoCloseable {

  /**
   * Returns the operations that fit.
   *
   * @param query as {@link io.retrysafe.operations.OperationQuery#of} takes it
   */
  Result list(Map<String, String> query);

  /** Returns a part of the operations that fit, for a program. */
  Found find(Map<String, String> query);

  Result explain(Map<String, String> query);

  Result show(String id);

  Result answer(String id);

  Result resolve(String id, Verdict verdict, ChangeRequest request);

  Result forget(String id, ChangeRequest request);

  /**
   * Returns operators' actions.
   *
   * @param query as {@link io.retrysafe.operations.AuditQuery#of} takes it
   */
  Result audit(Map<String, String> query);

  Result stats();

  Result sweep();

  @Override
  void close();

  /**
   * A part of what a search finds.
   *
   * @param operations the operations, as {@link io.retrysafe.operations.OperationSummary#toMap}
   * @param unreadable why operations among them cannot be read
   * @param next the cursor of the next part
   */
  record Found(
      List<Map<String, Object>> operations, List<String> unreadable, Optional<String> next) {}
}
