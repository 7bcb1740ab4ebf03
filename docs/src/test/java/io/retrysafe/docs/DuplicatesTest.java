// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import net.sourceforge.pmd.cpd.CPDConfiguration;
import net.sourceforge.pmd.cpd.CpdAnalysis;
import net.sourceforge.pmd.cpd.Mark;
import net.sourceforge.pmd.cpd.Match;
import net.sourceforge.pmd.lang.LanguageRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No code is written twice: PMD's copy-and-paste detector reads all code but that of tests. */
class DuplicatesTest {
  private static final int TOKENS = 100;

  @Test
  void nothingIsWrittenTwice() throws IOException {
    assertThat(duplicates(Sources.mainJavaFiles())).isEmpty();
  }

  @Test
  void aCopyIsFound(@TempDir Path folder) throws IOException {
    Path original = Sources.ROOT.resolve("docs/src/test/java/io/retrysafe/docs/Sources.java");
    Path copy = Files.copy(original, folder.resolve("Copy.java"));
    assertThat(duplicates(List.of(original, copy))).isNotEmpty();
  }

  private static List<String> duplicates(List<Path> files) throws IOException {
    CPDConfiguration configuration = new CPDConfiguration();
    configuration.setMinimumTileSize(TOKENS);
    configuration.setOnlyRecognizeLanguage(LanguageRegistry.CPD.getLanguageById("java"));
    files.forEach(configuration::addInputPath);
    List<String> found = new ArrayList<>();
    try (CpdAnalysis analysis = CpdAnalysis.create(configuration)) {
      analysis.performAnalysis(
          report -> {
            assertThat(report.getProcessingErrors()).isEmpty();
            report.getMatches().forEach(match -> found.add(described(match)));
          });
    }
    return found;
  }

  private static String described(Match match) {
    List<String> places =
        StreamSupport.stream(match.spliterator(), false)
            .map(Mark::getLocation)
            .map(at -> at.getFileId().getFileName() + ":" + at.getStartLine())
            .toList();
    return match.getTokenCount() + " tokens at " + String.join(" and ", places);
  }
}
