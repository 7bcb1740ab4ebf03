// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

/** The result of beginning a guarded request: the handler runs, or the answer is there. */
public sealed interface BeginResult {

  /** The handler runs; the adapter ends the exchange with what it answered. */
  record Run(Exchange exchange) implements BeginResult {}

  /** The handler does not run; the answer is a replay or a problem. */
  record Answered(Answer answer) implements BeginResult {}
}
