// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import io.retrysafe.store.jdbc.JdbcSchema;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The address of a store, checked as far as that goes without a connection. Its text shows neither
 * user nor password nor options, and may be printed.
 */
public final class StoreUrl {
  /** Something after the host that reads like the end of a password. */
  private static final Pattern AMBIGUOUS = Pattern.compile("[/?#][^=]*@");

  private final Kind kind;
  private final String url;
  private final String rest;

  private StoreUrl(Kind kind, String url, String rest) {
    this.kind = kind;
    this.url = url;
    this.rest = rest;
  }

  /**
   * Returns the address that {@code url} is.
   *
   * @param url {@code memory:}, {@code sqlite:PATH}, {@code jdbc:postgresql://…}, {@code
   *     jdbc:mariadb://…}, {@code jdbc:mysql://…}, {@code redis://…}, {@code rediss://…}, {@code
   *     redis-cluster://…} or {@code redis-sentinel://…}
   * @throws IllegalArgumentException if it is none of these
   */
  public static StoreUrl of(String url) {
    Kind kind = Kind.of(url);
    int slashes = url.indexOf("://");
    String rest = url.substring(slashes < 0 ? url.indexOf(':') + 1 : slashes + 3);
    StoreUrl parsed = new StoreUrl(kind, url, rest);
    parsed.check();
    return parsed;
  }

  private void check() {
    if (kind == Kind.MEMORY && !rest.isEmpty()) {
      throw new IllegalArgumentException("memory: takes nothing behind it; only near copies do");
    }
    if (kind == Kind.SQLITE) {
      checkFile();
    } else if (kind != Kind.MEMORY && AMBIGUOUS.matcher(rest).find()) {
      throw new IllegalArgumentException(
          "an address of "
              + scheme()
              + " has an @ behind its host: write /, ?, # and @ in a password as %2F, %3F, %23 and"
              + " %40");
    }
  }

  private void checkFile() {
    if (rest.isEmpty() || rest.startsWith(":") || rest.contains("?")) {
      throw new IllegalArgumentException(
          "sqlite: needs the path of a file without a question mark, was " + rest);
    }
    Path folder = path().toAbsolutePath().normalize().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(
          "sqlite:" + rest + " cannot be made: the folder " + folder + " is not there");
    }
  }

  /** Returns the file of an embedded store; empty for all others. It need not be there yet. */
  public Optional<Path> file() {
    return kind == Kind.SQLITE ? Optional.of(path()) : Optional.empty();
  }

  /** Returns {@code text}, such as what a driver said, without this address's user and password. */
  public String masked(String text) {
    return new Secrets(this).masked(text);
  }

  /**
   * Returns the tables of the store; empty where it has none. Each call of the schema opens one
   * connection.
   *
   * @throws IllegalArgumentException if the driver is not on the class path
   */
  public Optional<JdbcSchema> schema() {
    return kind.hasTables()
        ? Optional.of(JdbcSchema.of(JdbcAddress.of(this).source()))
        : Optional.empty();
  }

  Kind kind() {
    return kind;
  }

  /** Returns the whole address, which must not be printed. */
  String secret() {
    return url;
  }

  /** Returns what follows the scheme. */
  String rest() {
    return rest;
  }

  Path path() {
    try {
      return Path.of(rest);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("sqlite: needs the path of a file, was " + rest, e);
    }
  }

  String scheme() {
    return url.substring(0, url.length() - rest.length());
  }

  /** Returns the index in {@link #rest()} at which the host begins. */
  int host() {
    int end = rest.length();
    for (char each : new char[] {'/', '?', '#'}) {
      int at = rest.indexOf(each);
      end = at < 0 ? end : Math.min(end, at);
    }
    return rest.lastIndexOf('@', end) + 1;
  }

  /** Returns the address without user, password and options. */
  @Override
  public String toString() {
    if (kind == Kind.MEMORY || kind == Kind.SQLITE) {
      return url;
    }
    String shown = rest.substring(host());
    // Only Sentinel has something to say there; elsewhere it may be the end of a password.
    int name = kind == Kind.REDIS ? shown.indexOf('#') : -1;
    String place = shown.split("[?#]", 2)[0];
    return scheme() + place + (name < 0 ? "" : shown.substring(name));
  }
}
