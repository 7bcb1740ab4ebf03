// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.file.Path;

/**
 * A server's certificate.
 *
 * @param certificate a PEM file with the certificate and those that lead to its root
 * @param key a PEM file with its private key, PKCS #8
 */
public record Tls(Path certificate, Path key) {

  /** Has a server speak TLS, and HTTP/2 to clients that want it. */
  void on(HttpServerOptions options) {
    options
        .setSsl(true)
        .setUseAlpn(true)
        .setKeyCertOptions(
            new PemKeyCertOptions().setCertPath(certificate.toString()).setKeyPath(key.toString()));
  }
}
