// SPDX-License-Identifier: Apache-2.0
/**
 * The settings of a gateway as data. {@link io.retrysafe.gateway.config.GatewayConfig} holds all of
 * them and is checked when it is built.
 *
 * <p>{@code Pem} and methods with Vert.x types in their signatures serve the other packages of the
 * gateway. They are not API and may change in any release.
 */
@NullMarked
package io.retrysafe.gateway.config;

import org.jspecify.annotations.NullMarked;
