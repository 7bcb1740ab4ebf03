// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The files of the project. */
final class Sources {
  static final Path ROOT =
      Path.of(System.getProperty("retrysafe.root", "..")).toAbsolutePath().normalize();

  private static final Set<String> SKIPPED = Set.of("target", ".git");

  private Sources() {}

  /** Returns the packages that have Java files in some module's {@code src/main/java}. */
  static Set<String> packages() throws IOException {
    Set<String> packages = new TreeSet<>();
    Path main = Path.of("src", "main", "java");
    for (Path file : endingWith(".java")) {
      Path folder = ROOT.relativize(file.getParent());
      for (int i = 0; i + 3 <= folder.getNameCount(); i++) {
        if (folder.subpath(i, i + 3).equals(main)) {
          packages.add(folder.subpath(i + 3, folder.getNameCount()).toString().replace('/', '.'));
        }
      }
    }
    return packages;
  }

  /** Returns all documents. */
  static List<Path> documents() throws IOException {
    return endingWith(".md");
  }

  /** Returns all Java files but those of tests. */
  static List<Path> mainJavaFiles() throws IOException {
    Path main = Path.of("src", "main", "java");
    return endingWith(".java").stream()
        .filter(file -> file.toString().contains("/" + main + "/"))
        .toList();
  }

  private static List<Path> endingWith(String suffix) throws IOException {
    List<Path> found = new ArrayList<>();
    collect(ROOT, suffix, found);
    return found;
  }

  private static void collect(Path folder, String suffix, List<Path> found) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        if (Files.isDirectory(file) && !SKIPPED.contains(file.getFileName().toString())) {
          collect(file, suffix, found);
        } else if (file.toString().endsWith(suffix)) {
          found.add(file);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
