// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testkit;

import static java.util.Comparator.naturalOrder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The table of rules and subjects in a contract's document. Contract runs leave its data: a file
 * for each subject, with a line for each rule.
 */
public final class ContractTable {
  private ContractTable() {}

  /** Returns the table of all results in {@code results}, in Markdown. */
  public static String render(Path results) {
    Map<String, Map<String, String>> stores = read(results);
    Set<String> rules =
        new TreeSet<>(Comparator.comparing(String::length).thenComparing(naturalOrder()));
    stores.values().forEach(verdicts -> rules.addAll(verdicts.keySet()));
    StringBuilder table = new StringBuilder("| rule |");
    stores.keySet().forEach(store -> table.append(' ').append(store).append(" |"));
    table.append("\n|---|").append("---|".repeat(stores.size())).append('\n');
    for (String rule : rules) {
      table.append("| ").append(rule).append(" |");
      for (Map<String, String> verdicts : stores.values()) {
        table.append(' ').append(verdicts.getOrDefault(rule, "not run")).append(" |");
      }
      table.append('\n');
    }
    return table.toString();
  }

  /**
   * Checks that {@code document} shows the table of {@code results} between its markers. With the
   * system property {@code retrysafe.docs=write} it is written there instead.
   *
   * @throws AssertionError if the document shows another table
   */
  public static void verify(Path document, Path results) {
    new GeneratedPart("table", "what the contract runs say").verify(document, render(results));
  }

  static void write(Path results, String subject, Map<String, Verdict> verdicts) {
    StringBuilder lines = new StringBuilder();
    verdicts.forEach(
        (rule, verdict) -> lines.append(rule).append('\t').append(verdict).append('\n'));
    try {
      Files.createDirectories(results);
      Files.writeString(
          results.resolve(subject.replaceAll("[^A-Za-z0-9 ._-]", "_") + ".tsv"), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Map<String, String>> read(Path results) {
    Map<String, Map<String, String>> stores = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    try (Stream<Path> files = Files.list(results)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".tsv")).toList()) {
        String name = file.getFileName().toString();
        Map<String, String> verdicts = new TreeMap<>();
        for (String line : Files.readAllLines(file)) {
          int tab = line.indexOf('\t');
          verdicts.put(line.substring(0, tab), line.substring(tab + 1));
        }
        stores.put(name.substring(0, name.length() - ".tsv".length()), verdicts);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return stores;
  }
}
