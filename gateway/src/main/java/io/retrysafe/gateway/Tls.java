// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.nio.file.Path;

/**
 * A server's certificate.
 *
 * @param certificate a PEM file with the certificate and those that lead to its root
 * @param key a PEM file with its private key, PKCS #8
 */
public record Tls(Path certificate, Path key) {}
