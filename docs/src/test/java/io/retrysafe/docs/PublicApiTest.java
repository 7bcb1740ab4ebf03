// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The public API is as {@code docs/api.txt} lists it, so that no change of it goes unannounced.
 * After a change that is meant, copy {@code docs/target/api.txt} over it and name the change in the
 * changelog.
 */
class PublicApiTest {

  @Test
  void thePublicApiIsAsListed() throws IOException {
    List<String> actual = PublicApi.lines();
    Files.write(Path.of(System.getProperty("java.io.tmpdir")).resolve("api.txt"), actual);
    assertThat(Files.readAllLines(Sources.ROOT.resolve("docs/api.txt")))
        .as("docs/api.txt; the actual API is in docs/target/api.txt")
        .isEqualTo(actual);
  }

  @Test
  void theListingShowsTypesAndMembersAndNothingInternal() throws IOException {
    List<String> lines = PublicApi.lines();
    assertThat(lines)
        .contains("public final class io.retrysafe.Retrysafe implements java.lang.AutoCloseable")
        .contains("  public static io.retrysafe.Retrysafe create(io.retrysafe.store.Store)");
    assertThat(lines).noneMatch(line -> line.contains("class io.retrysafe.Threads"));
  }

  /** A newcomer reads what is public: most of core is not. */
  @Test
  void mostTypesOfCoreAreNotPublic() {
    Set<String> core = Set.of("io.retrysafe", "io.retrysafe.store");
    assertThat(PublicApi.shareOfPublicTypes(core)).isLessThanOrEqualTo(0.55);
  }
}
