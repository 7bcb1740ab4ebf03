// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The phrases that documents avoid, from {@code phrases.tsv}. Code and generated parts are not
 * searched: they show texts of the code.
 */
final class Phrases {
  private static final Pattern NOT_PROSE =
      Pattern.compile(
          "(?ms)^\\s*```.*?^\\s*```$|<!-- (\\w+):begin -->.*?<!-- \\1:end -->|`[^`\\n]*`");

  private final List<Phrase> phrases;

  /** A phrase and the words to use instead. */
  private record Phrase(Pattern pattern, String instead) {}

  private Phrases(List<Phrase> phrases) {
    this.phrases = phrases;
  }

  static Phrases load() throws IOException {
    List<Phrase> phrases = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(Phrases.class.getResourceAsStream("/phrases.tsv")),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("#")) {
          int tab = line.indexOf('\t');
          String words = line.substring(0, tab).replace(" ", "\\s+");
          Pattern pattern = Pattern.compile("\\b" + words + "\\b", Pattern.CASE_INSENSITIVE);
          phrases.add(new Phrase(pattern, line.substring(tab + 1)));
        }
      }
    }
    return new Phrases(phrases);
  }

  /** Returns each phrase that a document contains, with its line and the suggested words. */
  List<String> problems(String document) {
    String prose = NOT_PROSE.matcher(document).replaceAll(part -> blank(part.group()));
    List<String> problems = new ArrayList<>();
    for (Phrase phrase : phrases) {
      Matcher found = phrase.pattern().matcher(prose);
      while (found.find()) {
        long line = 1 + prose.substring(0, found.start()).chars().filter(c -> c == '\n').count();
        problems.add(
            "line %d: \"%s\"; instead: %s"
                .formatted(line, found.group().replaceAll("\\s+", " "), phrase.instead()));
      }
    }
    return problems;
  }

  /** Keeps line ends, so that lines are counted as in the document. */
  private static String blank(String part) {
    return part.replaceAll("[^\\n]", " ");
  }
}
