// SPDX-License-Identifier: Apache-2.0
/**
 * What comes in from clients: connections are accepted or refused here, and requests are checked
 * before the gateway acts on them. {@link io.retrysafe.gateway.internal.wire.RequestRules} has the
 * rules.
 *
 * <p>Public types here serve the other packages of the gateway. They are not API and may change in
 * any release.
 */
@NullMarked
package io.retrysafe.gateway.internal.wire;

import org.jspecify.annotations.NullMarked;
