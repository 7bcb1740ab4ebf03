// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import io.retrysafe.gateway.describe.GatewayDescription;
import java.util.Optional;

/** What the admin API asks of the gateway that it belongs to. Any thread may call it. */
public interface GatewayControl {
  /** Returns why load balancers should send requests elsewhere; empty if the gateway is ready. */
  Optional<String> unreadiness();

  /**
   * Reads the configuration again and uses it; returns false if the gateway does not know where it
   * came from.
   *
   * @throws IllegalArgumentException if the configuration cannot be used
   */
  boolean reload();

  /** Returns how the gateway guards its routes now. */
  GatewayDescription description();
}
