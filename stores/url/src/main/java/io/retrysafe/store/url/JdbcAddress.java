// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import com.zaxxer.hikari.util.DriverDataSource;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An address as a driver wants it: user and password beside it, which drivers would take for a part
 * of the host's name and print.
 */
record JdbcAddress(StoreUrl shown, String url, @Nullable String user, @Nullable String password) {

  static JdbcAddress of(StoreUrl url) {
    if (url.kind() == Kind.SQLITE) {
      return new JdbcAddress(url, "jdbc:sqlite:" + url.path(), null, null);
    }
    int host = url.host();
    String plain = url.scheme() + url.rest().substring(host);
    if (host == 0) {
      return new JdbcAddress(url, plain, null, null);
    }
    String[] both = url.rest().substring(0, host - 1).split(":", 2);
    return new JdbcAddress(
        url, plain, decoded(both[0]), both.length == 1 ? null : decoded(both[1]));
  }

  static String decoded(String part) {
    // A plus sign is itself outside of forms.
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /** Returns connections without a pool. */
  DataSource source() {
    try {
      DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "there is no driver for "
              + shown
              + ": put "
              + shown.kind().driver()
              + " on the class path",
          e);
    }
    return new DriverDataSource(url, null, properties(), user, password);
  }

  /** What a driver should not wait for, unless the address says otherwise. */
  private Properties properties() {
    Properties properties = new Properties();
    switch (shown.kind()) {
      case POSTGRESQL -> {
        properties.setProperty("connectTimeout", "2");
        properties.setProperty("loginTimeout", "2");
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "retrysafe");
      }
      case MARIADB, MYSQL -> {
        properties.setProperty("connectTimeout", "2000");
        properties.setProperty("tcpKeepAlive", "true");
      }
      default -> {}
    }
    properties.keySet().removeIf(name -> url.matches(".*[?&]" + name + "=.*"));
    return properties;
  }

  /** Returns why it will never work: the server said no to this user or database. */
  static Optional<SQLException> refusal(DataSource source) {
    try {
      source.getConnection().close();
      return Optional.empty();
    } catch (SQLException e) {
      String state = Optional.ofNullable(e.getSQLState()).orElse("");
      boolean isFinal = state.startsWith("28") || state.startsWith("3D") || state.equals("42000");
      return isFinal ? Optional.of(e) : Optional.empty();
    }
  }
}
