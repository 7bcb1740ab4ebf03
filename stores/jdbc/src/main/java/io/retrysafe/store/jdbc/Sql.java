// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A statement whose parameters have names. */
final class Sql {
  private static final Pattern NAME = Pattern.compile("(?<![:\\w]):([a-z][a-z_]*)");

  private final String text;
  private final List<String> names;

  private Sql(String text, List<String> names) {
    this.text = text;
    this.names = names;
  }

  /**
   * Reads a statement.
   *
   * @param isNumbered whether the database numbers parameters, so that one that occurs often is set
   *     once
   */
  static Sql parse(String named, boolean isNumbered) {
    List<String> names = new ArrayList<>();
    Matcher matcher = NAME.matcher(named);
    StringBuilder text = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group(1);
      if (!isNumbered || !names.contains(name)) {
        names.add(name);
      }
      matcher.appendReplacement(text, isNumbered ? "?" + (names.indexOf(name) + 1) : "?");
    }
    matcher.appendTail(text);
    return new Sql(text.toString(), List.copyOf(names));
  }

  /** Returns this statement and {@code next} as one: one round trip, one transaction. */
  Sql then(Sql next) {
    List<String> all = new ArrayList<>(names);
    all.addAll(next.names);
    return new Sql(text + ";\n" + next.text, all);
  }

  String text() {
    return text;
  }

  /** Sets parameters from {@code from} on and returns the index after the last one. */
  int bind(PreparedStatement statement, Parameters parameters, int from) throws SQLException {
    int index = from;
    for (String name : names) {
      parameters.value(name).set(statement, index);
      index++;
    }
    return index;
  }
}
