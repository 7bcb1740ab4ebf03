// SPDX-License-Identifier: Apache-2.0
/**
 * Describes to people and programs how a gateway guards its routes. {@link
 * io.retrysafe.gateway.describe.GatewayDescription} is the entry point.
 */
@NullMarked
package io.retrysafe.gateway.describe;

import org.jspecify.annotations.NullMarked;
