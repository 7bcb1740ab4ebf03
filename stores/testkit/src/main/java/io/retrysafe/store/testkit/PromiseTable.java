// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.Profile;
import io.retrysafe.testkit.GeneratedPart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The table of what each store promises, made from the profiles that stores declared on real
 * servers: tests leave them behind, a file each.
 */
public final class PromiseTable {
  private static final String SUFFIX = ".profile";

  private PromiseTable() {}

  /**
   * Leaves {@code profile} for the table, in {@code target/store-contract} below the system
   * property {@code retrysafe.root}; without that nowhere.
   */
  public static void declare(Profile profile) {
    String root = System.getProperty("retrysafe.root");
    if (root != null) {
      declare(Path.of(root, "target", "store-contract"), profile);
    }
  }

  static void declare(Path results, Profile profile) {
    String row =
        "| %s | %s | %s |%n"
            .formatted(profile.name(), profile.promise(), String.join("; ", profile.conditions()))
            .replace(System.lineSeparator(), "\n");
    try {
      Files.createDirectories(results);
      Files.writeString(results.resolve(profile.name() + SUFFIX), row);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the table of all profiles in {@code results}, in Markdown. */
  public static String render(Path results) {
    StringBuilder table = new StringBuilder("| store | promise | conditions |\n|---|---|---|\n");
    try (Stream<Path> files = Files.list(results)) {
      List<Path> profiles =
          files
              .filter(file -> file.toString().endsWith(SUFFIX))
              .sorted(Comparator.comparing(PromiseTable::name))
              .toList();
      for (Path file : profiles) {
        table.append(Files.readString(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return table.toString();
  }

  private static String name(Path file) {
    String name = file.getFileName().toString();
    return name.substring(0, name.length() - SUFFIX.length()).toLowerCase(Locale.ROOT);
  }

  /**
   * Checks that {@code document} shows the table of {@code results} between its markers. With the
   * system property {@code retrysafe.docs=write} it is written there instead.
   *
   * @throws AssertionError if the document shows another table
   */
  public static void verify(Path document, Path results) {
    new GeneratedPart("promises", "what the stores declare").verify(document, render(results));
  }
}
