// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import io.retrysafe.docs.Markdown.Link;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks links from one file of the project to another. */
final class Links {
  private Links() {}

  /** Returns the broken links of a document. Links out of the project are not followed. */
  static List<String> problems(Path file) throws IOException {
    List<String> problems = new ArrayList<>();
    for (Link link : Markdown.parse(Files.readString(file)).links()) {
      boolean isOutside = link.target().matches("[a-z]+:.*");
      if (!isOutside && !leadsSomewhere(file, link.target())) {
        problems.add("line " + link.line() + ": " + link.target() + " leads nowhere");
      }
    }
    return problems;
  }

  private static boolean leadsSomewhere(Path file, String target) throws IOException {
    int hash = target.indexOf('#');
    String path = hash < 0 ? target : target.substring(0, hash);
    Path other = path.isEmpty() ? file : file.resolveSibling(path);
    if (!Files.exists(other)) {
      return false;
    }
    return hash < 0
        || !other.toString().endsWith(".md")
        || Markdown.parse(Files.readString(other)).anchors().contains(target.substring(hash + 1));
  }
}
