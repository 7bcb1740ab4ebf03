// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testkit;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Numbered rules as tests, run against one subject: a store, an adapter. A run leaves its results
 * for a {@link ContractTable}.
 */
@TestInstance(Lifecycle.PER_CLASS)
@DisplayNameGeneration(RuleNames.class)
@ExtendWith(ContractReport.class)
public interface Contract {

  /** Returns the name of the contract, which is that of its document: {@code store-contract}. */
  String contractName();

  /** Returns the subject's name in the table of results; empty if it has no column there. */
  String subjectName();
}
