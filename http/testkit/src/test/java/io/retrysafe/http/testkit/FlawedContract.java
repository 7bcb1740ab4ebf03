// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import org.jspecify.annotations.Nullable;

/** The contract of a flawed adapter. Named so that only {@link FlawedAdaptersTest} runs it. */
final class FlawedContract extends HttpContract {
  /** What the next run is about; null for an adapter without a flaw. */
  static volatile @Nullable Flaw flaw;

  // snippet:fixture
  @Override
  protected HttpFixture fixture() {
    return setup -> new FlawedAdapter(setup, flaw);
  }

  // end
}
