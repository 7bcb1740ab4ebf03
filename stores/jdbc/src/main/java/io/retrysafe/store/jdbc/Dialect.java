// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.util.List;
import java.util.Locale;

/**
 * Which database it is. What differs between them is data: expressions, settings and statements in
 * the resource {@code <dialect>.sql}, shared statements in {@code statements.sql}.
 */
enum Dialect {
  POSTGRESQL("PostgreSQL", "BEGIN"),
  MARIADB("MariaDB", "START TRANSACTION"),
  /** As MariaDB, except for what its own file says. Its statements never ran on MySQL itself. */
  MYSQL("MySQL", "START TRANSACTION"),
  SQLITE("SQLite", "BEGIN IMMEDIATE");

  private final String product;
  private final String begin;

  Dialect(String product, String begin) {
    this.product = product;
    this.begin = begin;
  }

  /** Returns the dialect of the database that calls itself {@code product}. */
  static Dialect of(String product) {
    for (Dialect dialect : values()) {
      if (dialect.product.equalsIgnoreCase(product)) {
        return dialect;
      }
    }
    throw new IllegalArgumentException(
        "there is no JDBC store for "
            + product
            + "; it speaks PostgreSQL, MariaDB, MySQL and SQLite");
  }

  String product() {
    return product;
  }

  /** Returns the name of its files. */
  String resource() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the name of the folder with its tables. */
  String tables() {
    return (this == MYSQL ? MARIADB : this).resource();
  }

  /** Returns the statement that begins a transaction which is going to write. */
  String begin() {
    return begin;
  }

  /** Returns whether many calls fit into one statement, as arrays; otherwise into a transaction. */
  boolean hasArrays() {
    return this == POSTGRESQL;
  }

  /** Returns whether all connections write one after the other: every call is a transaction. */
  boolean hasOneWriter() {
    return this == SQLITE;
  }

  /**
   * Returns whether a claim is decided by one statement and read by the next, because no statement
   * does both: every call is a transaction.
   */
  boolean readsBack() {
    return this == MYSQL;
  }

  /** Returns whether a parameter that occurs often in a statement can be set once. */
  boolean hasNumberedParameters() {
    return this == SQLITE;
  }

  /** Returns what the promise rests on. */
  List<String> conditions() {
    return switch (this) {
      case POSTGRESQL ->
          List.of(
              "`fsync` and `synchronous_commit` are on",
              "a failover keeps commits only with a synchronous standby");
      case MARIADB ->
          List.of(
              "`innodb_flush_log_at_trx_commit` is 1",
              "a failover keeps commits only with a synchronous replica");
      case MYSQL ->
          List.of(
              "untested: no test of this release ran on MySQL itself",
              "`innodb_flush_log_at_trx_commit` and `sync_binlog` are 1, `binlog_format` is `ROW`",
              "a failover keeps commits only with a synchronous replica");
      case SQLITE -> List.of("one process, on a local disk that keeps what was flushed");
    };
  }
}
