// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.gateway.config.GatewayConfig;
import java.net.URI;
import java.net.URISyntaxException;

/** Reads URLs. No message shows their user and password. */
final class UrlReader {
  private UrlReader() {}

  static URI upstream(String name, ConfigValue value) {
    try {
      URI url = new URI(value.text().strip());
      GatewayConfig.Builder unused = GatewayConfig.builder(url);
      return url;
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw value
          .location()
          .error(
              "the upstream "
                  + name
                  + " must be http:// or https://, a host and a port, was "
                  + masked(value));
    }
  }

  /** Reads a URL with a path. */
  static URI http(String name, ConfigValue value) {
    try {
      URI url = new URI(value.text().strip());
      boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (isHttp && url.getHost() != null && url.getRawUserInfo() == null) {
        return url;
      }
    } catch (URISyntaxException | IllegalArgumentException e) {
      // Reported below.
    }
    throw value
        .location()
        .error(
            name + " must be http:// or https:// and a host, without a user, was " + masked(value));
  }

  static String masked(ConfigValue value) {
    return value.toString().replaceAll("//.*@", "//…@");
  }
}
