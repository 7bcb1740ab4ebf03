// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import io.retrysafe.gateway.describe.GatewayDescription;
import java.util.Optional;

/** A gateway that is not asked anything. */
final class UnusedControl implements GatewayControl {
  @Override
  public Optional<String> unreadiness() {
    return Optional.empty();
  }

  @Override
  public boolean reload() {
    return false;
  }

  @Override
  public GatewayDescription description() {
    throw new AssertionError();
  }
}
