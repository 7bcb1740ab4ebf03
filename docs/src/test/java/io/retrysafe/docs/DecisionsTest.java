// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Decisions have consecutive numbers and one form, and the index lists all of them. */
class DecisionsTest {
  private static final Path FOLDER = Sources.ROOT.resolve("docs/decisions");

  private static List<Path> decisions() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> !file.endsWith("README.md")).sorted().toList();
    }
  }

  @Test
  void numbersHaveNoGaps() throws IOException {
    List<Path> decisions = decisions();
    for (int i = 0; i < decisions.size(); i++) {
      assertThat(decisions.get(i).getFileName().toString()).startsWith("%04d-".formatted(i + 1));
    }
  }

  @Test
  void eachHasTheForm() throws IOException {
    for (Path decision : decisions()) {
      String number = decision.getFileName().toString().substring(0, 4);
      assertThat(Files.readString(decision))
          .as(decision.getFileName().toString())
          .matches(
              "(?s)# "
                  + number
                  + "\\. [^\\n]+\\n\\n"
                  + "Status: (accepted|superseded by \\d{4})\\. Date: \\d{4}-\\d{2}-\\d{2}\\.\\n"
                  + ".*\\n## Context\\n.*\\n## Decision\\n.*\\n## Rejected\\n"
                  + ".*\\n## Consequences\\n.*");
    }
  }

  @Test
  void theIndexListsAll() throws IOException {
    String index = Files.readString(FOLDER.resolve("README.md"));
    for (Path decision : decisions()) {
      String name = decision.getFileName().toString();
      String head = Files.readString(decision).lines().skip(2).findFirst().orElseThrow();
      String status = head.replaceAll("Status: (.*)\\. Date: (.*)\\.", "$1 | $2");
      String row =
          index.lines().filter(line -> line.contains("](" + name + ")")).findFirst().orElse("");
      assertThat(row)
          .as("row of %s in the index", name)
          .startsWith("| [" + name.substring(0, 4) + "](")
          .endsWith("| " + status + " |");
    }
  }
}
