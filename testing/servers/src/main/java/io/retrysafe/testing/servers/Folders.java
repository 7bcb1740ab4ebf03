// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Folders that servers keep their files in. */
final class Folders {
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private Folders() {}

  /** Creates a new folder that no other server, of this process or another, uses. */
  static Path create(String kind) {
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
