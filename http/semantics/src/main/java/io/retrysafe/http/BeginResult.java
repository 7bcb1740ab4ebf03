// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

/** What is to be done with a guarded request whose body was read. */
public sealed interface BeginResult {

  /** Let the handler run, and tell the exchange how it ended. */
  record Run(Exchange exchange) implements BeginResult {}

  /** Do not: this is the answer, a replay or a problem. */
  record Answered(Answer answer) implements BeginResult {}
}
