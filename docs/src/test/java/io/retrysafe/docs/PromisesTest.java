// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.retrysafe.store.testkit.PromiseTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The tables of promises show what the stores of this build declared on real servers. */
class PromisesTest {
  private static final Path RESULTS = Sources.ROOT.resolve("target/store-contract");
  private static final Path README = Sources.ROOT.resolve("README.md");
  private static final Path GUARANTEES = Sources.ROOT.resolve("docs/guarantees.md");

  @Test
  void theGuaranteesAreWhatTheStoresDeclare() {
    assertThat(RESULTS).as("contract runs of this build, of mvn verify").exists();
    assertThatCode(() -> PromiseTable.verify(GUARANTEES, RESULTS)).doesNotThrowAnyException();
  }

  @Test
  void theReadmePromisesTheSameInAShorterTable() throws IOException {
    Map<String, String> all = promises(GUARANTEES);
    Map<String, String> readme = promises(README);
    assertThat(readme).isNotEmpty();
    assertThat(all).containsAllEntriesOf(readme);
  }

  /** Returns the promise of each store; a row may name several stores. */
  private static Map<String, String> promises(Path document) throws IOException {
    String text = Files.readString(document);
    String table =
        text.substring(
            text.indexOf("<!-- promises:begin -->"), text.indexOf("<!-- promises:end -->"));
    Map<String, String> promises = new TreeMap<>();
    for (String row : table.lines().skip(3).toList()) {
      List<String> cells = List.of(row.split("\\|", -1));
      for (String store : cells.get(1).split(",", -1)) {
        promises.put(store.strip(), cells.get(2).strip());
      }
    }
    return promises;
  }
}
