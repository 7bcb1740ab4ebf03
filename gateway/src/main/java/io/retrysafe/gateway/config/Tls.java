// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.nio.file.Path;

/**
 * A server's certificate.
 *
 * @param certificate a PEM file with the certificate and those that lead to its root
 * @param key a PEM file with its private key, PKCS #8
 */
public record Tls(Path certificate, Path key) {

  /**
   * Has a server speak TLS, and HTTP/2 to clients that want it.
   *
   * @throws IllegalArgumentException if the files cannot be used
   */
  public void on(HttpServerOptions options) {
    options.setSsl(true).setUseAlpn(true).setKeyCertOptions(Pem.pair(certificate, key));
  }

  /**
   * Returns what a running server shows from now on: the files are read again.
   *
   * @throws IllegalArgumentException if they cannot be used
   */
  public ServerSSLOptions renewed() {
    HttpServerOptions options = new HttpServerOptions();
    on(options);
    return options.getSslOptions();
  }
}
