// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.retrysafe.store.testkit.PromiseTable;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The table of promises shows what the stores of this build declared on real servers. */
class PromisesTest {
  private static final Path RESULTS = Sources.ROOT.resolve("target/store-contract");

  @Test
  void theDocumentsPromiseWhatTheStoresDeclare() {
    assertThat(RESULTS).as("contract runs of this build, of mvn verify").exists();
    for (String document : new String[] {"README.md", "docs/guarantees.md"}) {
      assertThatCode(() -> PromiseTable.verify(Sources.ROOT.resolve(document), RESULTS))
          .doesNotThrowAnyException();
    }
  }
}
