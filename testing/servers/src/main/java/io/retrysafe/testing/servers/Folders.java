// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Folders that servers keep their files in. */
final class Folders {
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final Pattern OWNED = Pattern.compile("[a-z]+-(\\d+)-\\d+");

  private Folders() {}

  /** Creates a new folder that no other server, of this process or another, uses. */
  static Path create(String kind) {
    if (NUMBERS.get() == 0) {
      deleteAbandoned(Programs.home());
    }
    Path folder =
        Programs.home()
            .resolve(kind + "-" + ProcessHandle.current().pid() + "-" + NUMBERS.incrementAndGet());
    delete(folder);
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes what processes left that were killed: a server's files are soon many gigabytes. */
  static void deleteAbandoned(Path home) {
    if (!Files.exists(home)) {
      return;
    }
    try (Stream<Path> all = Files.list(home)) {
      all.filter(Folders::isAbandoned).forEach(Folders::delete);
    } catch (IOException | UncheckedIOException e) {
      // Somebody else is cleaning up as well.
      System.getLogger(Folders.class.getName()).log(System.Logger.Level.DEBUG, "not cleaned", e);
    }
  }

  private static boolean isAbandoned(Path folder) {
    Matcher owned = OWNED.matcher(folder.getFileName().toString());
    return owned.matches() && ProcessHandle.of(Long.parseLong(owned.group(1))).isEmpty();
  }

  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + folder, e);
    }
  }
}
