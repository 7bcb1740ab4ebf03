// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retrysafe.store.Profile;
import io.retrysafe.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PromiseTableTest {

  @Test
  void everyProfileIsARow(@TempDir Path folder) throws IOException {
    PromiseTable.declare(folder, profile("beta", List.of("one", "two")));
    PromiseTable.declare(folder, profile("Alpha", List.of()));
    String table =
        """
        | store | promise | conditions |
        |---|---|---|
        | Alpha | all of it |  |
        | beta | all of it | one; two |
        """;
    assertThat(PromiseTable.render(folder)).isEqualTo(table);

    Path document = folder.resolve("document.md");
    Files.writeString(document, "<!-- promises:begin -->\n" + table + "<!-- promises:end -->\n");
    PromiseTable.verify(document, folder);
    PromiseTable.declare(folder, profile("beta", List.of("three")));
    assumeThat(System.getProperty("retrysafe.docs")).isNull();
    assertThatThrownBy(() -> PromiseTable.verify(document, folder))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("is not what the stores declare")
        .hasMessageContaining("| beta | all of it | three |");
  }

  @Test
  void memoryDeclaresItself() {
    Profile profile = MemoryStore.create().profile();
    PromiseTable.declare(profile);
    assertThat(profile.promise()).contains("inside one JVM");
  }

  private static Profile profile(String name, List<String> conditions) {
    return new Profile(name, "all of it", conditions, 1, Duration.ZERO, Duration.ZERO);
  }
}
