// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import org.jspecify.annotations.Nullable;

/**
 * The address that a server listens on.
 *
 * @param host a host name or address
 * @param port a port; 0 for any free port
 * @param tls the server's certificate; null for plain HTTP
 */
public record Listen(String host, int port, @Nullable Tls tls) {
  public Listen {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("a port is 0 to 65535, was " + port);
    }
  }

  /** Reads {@code HOST:PORT}, {@code [::1]:PORT} or {@code :PORT} for every address. */
  public static Listen parse(String text) {
    int colon = text.lastIndexOf(':');
    String port = text.substring(colon + 1);
    if (colon < 0 || !port.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException(
          "an address is HOST:PORT, such as 127.0.0.1:8080, was \"" + text + '"');
    }
    String host = text.substring(0, colon).replaceAll("^\\[|\\]$", "");
    return new Listen(host.isEmpty() ? "0.0.0.0" : host, Integer.parseInt(port), null);
  }

  /** Returns this address with TLS. */
  public Listen tls(Tls tls) {
    return new Listen(host, port, tls);
  }

  /**
   * Returns whether a running server can switch to the other address without a restart: only
   * certificates may differ.
   */
  public boolean isSamePlace(Listen other) {
    return host.equals(other.host) && port == other.port && (tls == null) == (other.tls == null);
  }

  /**
   * Returns whether only this machine can reach it. The only name that counts is {@code localhost}:
   * other names are not resolved, because they may change.
   */
  public boolean isLoopback() {
    return host.equalsIgnoreCase("localhost")
        || host.equals("::1")
        || host.matches("127(\\.[0-9]{1,3}){3}");
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
