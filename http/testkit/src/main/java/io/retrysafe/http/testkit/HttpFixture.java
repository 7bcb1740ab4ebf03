// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

/**
 * An adapter under test. {@link HttpContract} starts two instances of one application on one store,
 * uses them for all its tests and stops them after the last.
 */
@FunctionalInterface
public interface HttpFixture {

  /**
   * Starts the application behind the adapter, on a free port of the loopback address. The account
   * is what the header {@link Setup#ACCOUNT} says, as if it had been authenticated.
   */
  Instance start(Setup setup) throws Exception;

  /** Returns the store; one in memory by default. */
  default ContractStore store() {
    return ContractStore.memory();
  }
}
