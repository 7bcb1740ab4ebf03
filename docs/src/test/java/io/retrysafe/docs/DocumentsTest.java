// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentsTest {
  private static final String SOURCE =
      """
      class Example {
        // snippet:add
        int sum = 1
            + 2;
        // end
      }
      """;

  @TempDir private Path folder;

  @Test
  void javaInDocumentsIsCompiled() throws IOException {
    List<String> problems = new ArrayList<>();
    for (Path document : Sources.documents()) {
      for (String problem : Snippets.problems(Sources.ROOT, Files.readString(document))) {
        problems.add(Sources.ROOT.relativize(document) + " " + problem);
      }
    }
    assertThat(problems).isEmpty();
  }

  @Test
  void linksBetweenDocumentsLeadSomewhere() throws IOException {
    List<String> problems = new ArrayList<>();
    for (Path document : Sources.documents()) {
      for (String problem : Links.problems(document)) {
        problems.add(Sources.ROOT.relativize(document) + " " + problem);
      }
    }
    assertThat(problems).isEmpty();
  }

  @Test
  void theReadmeIsShortAndShowsCodeEarly() throws IOException {
    String readme = Files.readString(Sources.ROOT.resolve("README.md"));
    assertThat(readme.lines().count()).isLessThanOrEqualTo(150);
    assertThat(Markdown.parse(readme).blocks())
        .filteredOn(block -> block.language().equals("java"))
        .first()
        .satisfies(
            block ->
                assertThat(block.line() + block.text().lines().count()).isLessThanOrEqualTo(40));
  }

  @Test
  void aBlockThatEqualsItsSourceIsFine() throws IOException {
    Files.writeString(folder.resolve("Example.java"), SOURCE);
    assertThat(problems("<!-- snippet: Example.java#add -->", "int sum = 1\n    + 2;")).isEmpty();
  }

  @Test
  void aBlockThatDiffersFromItsSourceIsFound() throws IOException {
    Files.writeString(folder.resolve("Example.java"), SOURCE);
    assertThat(problems("<!-- snippet: Example.java#add -->", "int sum = 3;"))
        .singleElement()
        .asString()
        .startsWith("line 3: differs from Example.java");
  }

  @Test
  void aBlockWithoutSourceIsFound() throws IOException {
    Files.writeString(folder.resolve("Example.java"), SOURCE);
    assertThat(problems("just text", "int sum = 3;"))
        .singleElement()
        .asString()
        .contains("needs <!-- snippet");
    assertThat(problems("<!-- snippet: Example.java#mul -->", "int sum = 3;"))
        .singleElement()
        .asString()
        .contains("has no // snippet:mul");
    assertThat(problems("<!-- snippet: Other.java#add -->", "int sum = 3;"))
        .singleElement()
        .asString()
        .contains("there is no Other.java");
  }

  @Test
  void aLinkThatLeadsNowhereIsFound() throws IOException {
    Files.writeString(folder.resolve("there.md"), "# Two words, really\n");
    Path document = folder.resolve("document.md");
    Files.writeString(
        document,
        """
        [a](there.md) [b](there.md#two-words-really) [c](https://example.com) `[d](code.md)`
        [e](gone.md) ![f](gone.svg) [g](there.md#three-words) [h](#nothing)
        """);
    assertThat(Links.problems(document))
        .containsExactly(
            "line 2: gone.md leads nowhere",
            "line 2: gone.svg leads nowhere",
            "line 2: there.md#three-words leads nowhere",
            "line 2: #nothing leads nowhere");
  }

  private List<String> problems(String above, String code) throws IOException {
    return Snippets.problems(folder, "# Title\n" + above + "\n```java\n" + code + "\n```\n");
  }
}
