// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PhrasesTest {
  private final Phrases phrases = Phrases.load();

  PhrasesTest() throws IOException {}

  @Test
  void documentsAvoidThePhrases() throws IOException {
    List<String> problems = new ArrayList<>();
    for (Path document : Sources.documents()) {
      for (String problem : phrases.problems(Files.readString(document))) {
        problems.add(Sources.ROOT.relativize(document) + " " + problem);
      }
    }
    assertThat(problems).isEmpty();
  }

  @Test
  void aPhraseIsFoundWithItsLineAndTheWordsToUse() {
    assertThat(phrases.problems("# Title\n\nThe caller is\ntold that Nobody knows.\n"))
        .satisfiesExactlyInAnyOrder(
            problem -> assertThat(problem).startsWith("line 3: \"is told\"").contains("\"gets\""),
            problem ->
                assertThat(problem).startsWith("line 4: \"Nobody\"").contains("name the actor"));
  }

  @Test
  void codeAndGeneratedPartsAreNotSearched() {
    assertThat(
            phrases.problems(
                """
                `nobody` and
                ```
                nobody
                ```
                <!-- settings:begin -->
                | a | nobody |
                <!-- settings:end -->
                """))
        .isEmpty();
  }

  @Test
  void proseAfterCodeIsSearched() {
    assertThat(phrases.problems("```\nx\n```\n`a` nobody\n")).hasSize(1);
  }
}
