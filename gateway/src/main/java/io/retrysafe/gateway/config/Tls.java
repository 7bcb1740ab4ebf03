// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.nio.file.Path;

/**
 * A server's certificate.
 *
 * @param certificate a PEM file with the certificate chain
 * @param key a PEM file with its private key, PKCS #8
 */
public record Tls(Path certificate, Path key) {

  /**
   * Configures a Vert.x server for TLS, and for HTTP/2 through ALPN.
   *
   * @throws IllegalArgumentException if the files cannot be used
   */
  public void on(HttpServerOptions options) {
    options.setSsl(true).setUseAlpn(true).setKeyCertOptions(Pem.pair(certificate, key));
  }

  /**
   * Reads the files again and returns the Vert.x options for a running server.
   *
   * @throws IllegalArgumentException if they cannot be used
   */
  public ServerSSLOptions renewed() {
    HttpServerOptions options = new HttpServerOptions();
    on(options);
    return options.getSslOptions();
  }
}
