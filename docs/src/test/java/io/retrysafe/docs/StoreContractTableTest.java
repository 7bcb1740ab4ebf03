// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retrysafe.testkit.ContractTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of rules and stores shows the results of this build's contract runs. */
class StoreContractTableTest {
  private static final Path DOCUMENT = Sources.ROOT.resolve("docs/store-contract.md");
  private static final Path RESULTS = Sources.ROOT.resolve("target/store-contract");

  @TempDir private Path folder;

  @Test
  void theDocumentShowsWhatTheStoresSaid() {
    assertThat(RESULTS).as("contract runs of this build, of mvn verify").exists();
    assertThatCode(() -> ContractTable.verify(DOCUMENT, RESULTS)).doesNotThrowAnyException();
  }

  @Test
  void anotherResultIsFound() throws IOException {
    assumeThat(System.getProperty("retrysafe.docs")).isNull();
    Path copy = Files.copy(DOCUMENT, folder.resolve("store-contract.md"));
    Files.writeString(folder.resolve("memory.tsv"), "C-01\tfailed\n");
    assertThatThrownBy(() -> ContractTable.verify(copy, folder))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("is not what the contract runs say");
  }
}
