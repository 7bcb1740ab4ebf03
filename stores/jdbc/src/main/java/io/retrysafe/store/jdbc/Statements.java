// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of a dialect, by name: the shared ones and its own, with its expressions. */
final class Statements {
  private static final Pattern HEAD = Pattern.compile("(?m)^-- name: (\\w+)$");
  private static final Pattern PART = Pattern.compile("\\{([^{}]+)}");
  private static final int DEEPEST = 10;

  private final Map<String, Sql> all = new HashMap<>();
  private final Map<String, String> named = new HashMap<>();

  private Statements() {}

  static Statements of(Dialect dialect) {
    Map<String, String> texts = new HashMap<>(read("statements.sql"));
    texts.putAll(read(dialect.resource() + ".sql"));
    Statements statements = new Statements();
    texts.forEach(
        (name, text) -> {
          String whole = expanded(text, texts, dialect);
          statements.named.put(name, whole);
          statements.all.put(name, Sql.parse(whole));
        });
    return statements;
  }

  Sql get(String name) {
    Sql sql = all.get(name);
    if (sql == null) {
      throw new IllegalStateException("there is no statement " + name);
    }
    return sql;
  }

  /** Returns the statement's text with its parameters' names, to be continued. */
  String named(String name) {
    String text = named.get(name);
    if (text == null) {
      throw new IllegalStateException("there is no statement " + name);
    }
    return text;
  }

  static String resource(String name) {
    try (InputStream in = Statements.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> read(String name) {
    String file = resource(name);
    Map<String, String> texts = new HashMap<>();
    Matcher head = HEAD.matcher(file);
    boolean found = head.find();
    while (found) {
      String key = head.group(1);
      int from = head.end();
      found = head.find();
      texts.put(key, file.substring(from, found ? head.start() : file.length()).strip());
    }
    return texts;
  }

  private static String expanded(String text, Map<String, String> texts, Dialect dialect) {
    String before = text;
    for (int i = 0; i < DEEPEST; i++) {
      String after =
          PART.matcher(before)
              .replaceAll(
                  part ->
                      Matcher.quoteReplacement(
                          texts.containsKey(part.group(1))
                              ? texts.get(part.group(1))
                              : dialect.expression(part.group(1))));
      if (after.equals(before)) {
        return after;
      }
      before = after;
    }
    throw new IllegalStateException("a statement refers to itself: " + text);
  }
}
