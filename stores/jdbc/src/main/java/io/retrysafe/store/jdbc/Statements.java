// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The statements of a dialect, by name: the shared ones and its own, with its expressions. */
final class Statements {
  private static final Pattern HEAD = Pattern.compile("(?m)^-- name: (\\w+)$");
  private static final Pattern COMMENT = Pattern.compile("(?m)^--(?! name: ).*$\n");
  private static final Pattern PART = Pattern.compile("\\{([^{}]+)}");
  private static final int DEEPEST = 10;

  private final Dialect dialect;
  private final Map<String, String> texts;
  private final Map<String, Sql> all = new HashMap<>();

  private Statements(Dialect dialect, Map<String, String> texts) {
    this.dialect = dialect;
    this.texts = texts;
  }

  static Statements of(Dialect dialect) {
    Map<String, String> texts = new HashMap<>(read("statements.sql"));
    if (dialect == Dialect.MYSQL) {
      texts.putAll(read(Dialect.MARIADB.resource() + ".sql"));
    }
    texts.putAll(read(dialect.resource() + ".sql"));
    Statements statements = new Statements(dialect, texts);
    for (String name : texts.keySet()) {
      statements.all.put(name, statements.parse(statements.text(name)));
    }
    return statements;
  }

  Sql get(String name) {
    Sql sql = all.get(name);
    if (sql == null) {
      throw new IllegalStateException("there is no statement " + name);
    }
    return sql;
  }

  /** Reads a statement that was put together from parts. */
  Sql parse(String text) {
    return Sql.parse(text, dialect.hasNumberedParameters());
  }

  /** Returns {@code part}, a name and maybe its operands, as the dialect says it. */
  String text(String part) {
    String before = "{" + part + "}";
    for (int i = 0; i < DEEPEST; i++) {
      String after =
          PART.matcher(before).replaceAll(each -> Matcher.quoteReplacement(once(each.group(1))));
      if (after.equals(before)) {
        return after;
      }
      before = after;
    }
    throw new IllegalStateException("the statement " + part + " refers to itself");
  }

  /** Returns the statements of a part that holds several. */
  List<String> list(String part) {
    return Stream.of(text(part).split(";\\s*", -1)).filter(each -> !each.isBlank()).toList();
  }

  private String once(String part) {
    String[] words = part.split(" ", 2);
    String pattern = texts.get(words[0]);
    if (pattern == null) {
      throw new IllegalStateException("there is no part " + part);
    }
    if (words.length == 1) {
      return pattern;
    }
    return switch (words[0]) {
      case "text" -> pattern.formatted((Object[]) words[1].split(" at ", 2));
      case "join" -> pattern.formatted((Object[]) words[1].split(" ", 2));
      default -> pattern.formatted(words[1]);
    };
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
    String file = COMMENT.matcher(resource(name)).replaceAll("");
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
}
