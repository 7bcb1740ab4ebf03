// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import io.retrysafe.docs.Markdown.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks that Java in documents is a copy of compiled code. The line above every block is {@code
 * <!-- snippet: path/of/Source.java#name -->}, and the source has the same lines between {@code //
 * snippet:name} and {@code // end}.
 */
final class Snippets {
  private static final Pattern MARKER = Pattern.compile("<!-- snippet: (\\S+)#(\\S+) -->");

  private Snippets() {}

  /**
   * Returns the problems of the Java blocks of a document. Paths of sources are relative to {@code
   * root}.
   */
  static List<String> problems(Path root, String document) throws IOException {
    List<String> problems = new ArrayList<>();
    for (Block block : Markdown.parse(document).blocks()) {
      if (block.language().equals("java")) {
        problem(root, block).ifPresent(text -> problems.add("line " + block.line() + ": " + text));
      }
    }
    return problems;
  }

  private static Optional<String> problem(Path root, Block block) throws IOException {
    Matcher marker = MARKER.matcher(block.before());
    if (!marker.matches()) {
      return Optional.of(
          "a Java block needs <!-- snippet: path/of/Source.java#name --> in the line above it");
    }
    Path source = root.resolve(marker.group(1));
    if (!Files.exists(source)) {
      return Optional.of("there is no " + marker.group(1));
    }
    Optional<String> region = region(Files.readString(source), marker.group(2));
    if (region.isEmpty()) {
      return Optional.of(
          marker.group(1) + " has no // snippet:" + marker.group(2) + " ended by // end");
    }
    return region.get().equals(block.text())
        ? Optional.empty()
        : Optional.of("differs from " + marker.group(1) + ", which has\n" + region.get());
  }

  /** Returns the lines of a region without their common indentation. */
  static Optional<String> region(String source, String name) {
    List<String> lines = source.lines().toList();
    int start = -1;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.equals("// snippet:" + name)) {
        start = i + 1;
      } else if (line.equals("// end") && start >= 0) {
        return Optional.of(
            String.join("\n", lines.subList(start, i)).stripTrailing().stripIndent() + "\n");
      }
    }
    return Optional.empty();
  }
}
