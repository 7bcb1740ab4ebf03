// SPDX-License-Identifier: Apache-2.0
/**
 * The gateway: a reverse proxy that makes services written in anything safe to retry. {@link
 * io.retrysafe.gateway.Gateway} starts one from a {@link io.retrysafe.gateway.GatewayConfig}.
 */
@NullMarked
package io.retrysafe.gateway;

import org.jspecify.annotations.NullMarked;
