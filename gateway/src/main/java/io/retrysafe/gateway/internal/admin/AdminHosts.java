// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import io.netty.util.NetUtil;
import io.retrysafe.gateway.config.GatewayConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The host names of the admin port. A web page can make its own name resolve to this machine, but
 * it cannot change the host name that the browser sends.
 */
final class AdminHosts {
  private AdminHosts() {}

  /**
   * Returns whether a request may use this host name: {@code localhost}, the configured host, one
   * of {@code admin-hosts}, or any IP address, because addresses are not resolved.
   */
  static boolean isAllowed(@Nullable String host, GatewayConfig config) {
    if (host == null) {
      return false;
    }
    String name = host.replaceAll("^\\[|\\]$", "");
    return name.equalsIgnoreCase("localhost")
        || name.equalsIgnoreCase(config.admin().host())
        || NetUtil.isValidIpV4Address(name)
        || NetUtil.isValidIpV6Address(name)
        || isNamed(config.adminHosts(), name);
  }

  private static boolean isNamed(List<String> names, String name) {
    return names.stream().anyMatch(name::equalsIgnoreCase);
  }
}
