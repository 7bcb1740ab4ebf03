// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What differs between databases, as data: expressions, how a session is set up, and how calls are
 * combined. The statements themselves are in the resources {@code statements.sql} and {@code
 * <dialect>.sql}.
 */
enum Dialect {
  POSTGRESQL(
      "PostgreSQL",
      "BEGIN",
      Map.ofEntries(
          Map.entry("now", "clock_timestamp()"),
          // Stable, so that an index can be searched with it; only for reading.
          Map.entry("at", "statement_timestamp()"),
          Map.entry("after", "clock_timestamp() + %s * interval '1 microsecond'"),
          Map.entry("before", "statement_timestamp() - %s * interval '1 microsecond'"),
          Map.entry("moment", "timestamptz 'epoch' + %s * interval '1 microsecond'"),
          Map.entry("us", "(extract(epoch FROM %s) * 1000000)::bigint"),
          Map.entry("text", "strpos(%2$s, %1$s)"),
          Map.entry("join", "%s || %s"),
          Map.entry("key", "key"),
          Map.entry("skip_locked", "FOR UPDATE OF e SKIP LOCKED")),
      List.of(
          "SET lock_timeout = '%2$dms'",
          "SET statement_timeout = '%1$dms'",
          // Planning would cost more than running: the statements are large and always the same.
          "SET plan_cache_mode = force_generic_plan"),
      List.of("RESET lock_timeout", "RESET statement_timeout", "RESET plan_cache_mode"),
      List.of(
          "fsync and synchronous_commit are on",
          "a failover keeps commits only with a synchronous standby")),

  MARIADB(
      "MariaDB",
      "START TRANSACTION",
      Map.ofEntries(
          Map.entry("now", "SYSDATE(6)"),
          Map.entry("at", "SYSDATE(6)"),
          Map.entry("after", "(SYSDATE(6) + INTERVAL %s MICROSECOND)"),
          Map.entry("before", "(SYSDATE(6) - INTERVAL %s MICROSECOND)"),
          Map.entry("moment", "(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL %s MICROSECOND)"),
          Map.entry("us", "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', %s)"),
          Map.entry("text", "INSTR(%2$s, %1$s)"),
          Map.entry("join", "CONCAT(%s, %s)"),
          Map.entry("key", "`key`"),
          Map.entry("skip_locked", "FOR UPDATE SKIP LOCKED")),
      List.of(
          "SET time_zone = '+00:00', innodb_lock_wait_timeout = 0",
          "SET max_statement_time = %1$d / 1000"),
      List.of(
          "SET time_zone = DEFAULT, innodb_lock_wait_timeout = DEFAULT, max_statement_time = DEFAULT"),
      List.of(
          "innodb_flush_log_at_trx_commit is 1",
          "a failover keeps commits only with a synchronous replica")),

  SQLITE(
      "SQLite",
      "BEGIN IMMEDIATE",
      Map.ofEntries(
          Map.entry("now", ":now"),
          Map.entry("at", ":now"),
          Map.entry("after", ":now + %s"),
          Map.entry("before", ":now - %s"),
          Map.entry("moment", "%s"),
          Map.entry("us", "%s"),
          Map.entry("text", "instr(%2$s, %1$s)"),
          Map.entry("join", "%s || %s"),
          Map.entry("key", "key"),
          Map.entry("skip_locked", "")),
      List.of(
          "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA busy_timeout = %1$d"),
      List.of(),
      List.of("one process, on a local disk that keeps what was flushed"));

  private final String product;
  private final String begin;
  private final Map<String, String> expressions;
  private final List<String> settings;
  private final List<String> resets;
  private final List<String> conditions;

  Dialect(
      String product,
      String begin,
      Map<String, String> expressions,
      List<String> settings,
      List<String> resets,
      List<String> conditions) {
    this.product = product;
    this.begin = begin;
    this.expressions = expressions;
    this.settings = settings;
    this.resets = resets;
    this.conditions = conditions;
  }

  /** Returns the dialect of the database that calls itself {@code product}. */
  static Dialect of(String product) {
    for (Dialect dialect : values()) {
      if (dialect.product.equalsIgnoreCase(product)) {
        return dialect;
      }
    }
    throw new IllegalArgumentException(
        "there is no JDBC store for " + product + "; it speaks PostgreSQL, MariaDB and SQLite");
  }

  String product() {
    return product;
  }

  /** Returns the name of its files. */
  String resource() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the statement that begins a transaction which is going to write. */
  String begin() {
    return begin;
  }

  /** Returns whether many calls fit into one statement, as arrays; otherwise into a transaction. */
  boolean hasArrays() {
    return this == POSTGRESQL;
  }

  /**
   * Returns whether all connections write one after the other, so that every call is a transaction.
   */
  boolean hasOneWriter() {
    return this == SQLITE;
  }

  /** Returns what to run on a new connection. */
  List<String> settings(long timeoutMillis, long lockMillis) {
    return settings.stream().map(each -> each.formatted(timeoutMillis, lockMillis)).toList();
  }

  /** Returns what the promise rests on. */
  List<String> conditions() {
    return conditions;
  }

  /** Returns what to run on a connection that goes back to where it came from. */
  List<String> resets() {
    return resets;
  }

  /** Returns the text for {@code part}, an expression's name and its operands. */
  String expression(String part) {
    String[] words = part.split(" ", 2);
    String pattern = expressions.get(words[0]);
    if (pattern == null) {
      throw new IllegalStateException("no dialect has an expression " + part);
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
}
