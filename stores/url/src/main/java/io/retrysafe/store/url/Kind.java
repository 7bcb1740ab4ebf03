// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import java.util.regex.Pattern;

/** What can stand behind an address. */
enum Kind {
  MEMORY("memory:"),
  SQLITE("sqlite:"),
  POSTGRESQL("jdbc:postgresql://"),
  MARIADB("jdbc:mariadb://"),
  MYSQL("jdbc:mysql://"),
  REDIS("rediss?(-cluster|-sentinel)?://");

  /** What an error says. */
  static final String ALLOWED =
      "memory:, sqlite:PATH, jdbc:postgresql://HOST/DATABASE, jdbc:mariadb://HOST/DATABASE,"
          + " jdbc:mysql://HOST/DATABASE, redis://HOST, rediss://HOST, redis-cluster://HOST,HOST and"
          + " redis-sentinel://HOST,HOST#NAME";

  private final String scheme;

  Kind(String scheme) {
    this.scheme = scheme;
  }

  static Kind of(String url) {
    for (Kind kind : values()) {
      if (Pattern.compile(kind.scheme).matcher(url).lookingAt()) {
        return kind;
      }
    }
    throw new IllegalArgumentException(
        "no store is known for " + scheme(url) + "; addresses are " + ALLOWED);
  }

  /** Everything behind the scheme may be a secret, as far as an unknown scheme goes. */
  private static String scheme(String url) {
    int colon = url.indexOf(':');
    if (colon < 0) {
      return "an address without a scheme";
    }
    int second = url.startsWith("jdbc:") ? url.indexOf(':', colon + 1) : -1;
    return url.substring(0, second < 0 ? colon + 1 : second + 1) + "…";
  }

  /** Returns whether it speaks SQL. */
  boolean hasTables() {
    return this == SQLITE || this == POSTGRESQL || this == MARIADB || this == MYSQL;
  }

  /** Returns what has to be on the class path. */
  String driver() {
    return switch (this) {
      case SQLITE -> "org.xerial:sqlite-jdbc";
      case MARIADB -> "org.mariadb.jdbc:mariadb-java-client";
      case MYSQL -> "com.mysql:mysql-connector-j";
      case POSTGRESQL -> "org.postgresql:postgresql";
      case MEMORY, REDIS -> "nothing";
    };
  }
}
