// SPDX-License-Identifier: Apache-2.0
/**
 * The client side: this package accepts or refuses connections, checks requests before the gateway
 * acts on them, and sends answers. {@link io.retrysafe.gateway.internal.wire.RequestRules} has the
 * rules.
 *
 * <p>Public types here serve the other packages of the gateway. They are not API and may change in
 * any release.
 */
@NullMarked
package io.retrysafe.gateway.internal.wire;

import org.jspecify.annotations.NullMarked;
