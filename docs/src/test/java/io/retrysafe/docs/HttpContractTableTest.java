// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.retrysafe.testkit.ContractTable;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The table of rules and adapters shows the results of this build's contract runs. */
class HttpContractTableTest {
  private static final Path DOCUMENT = Sources.ROOT.resolve("docs/http-contract.md");
  private static final Path RESULTS = Sources.ROOT.resolve("target/http-contract");

  @Test
  void theDocumentShowsWhatTheAdaptersSaid() {
    assertThat(RESULTS).as("contract runs of this build, of mvn verify").exists();
    assertThatCode(() -> ContractTable.verify(DOCUMENT, RESULTS)).doesNotThrowAnyException();
  }
}
