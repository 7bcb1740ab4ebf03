// SPDX-License-Identifier: Apache-2.0
/**
 * What comes in from clients: connections are accepted or refused here, and requests are checked
 * before the gateway acts on them. {@link io.retrysafe.gateway.wire.RequestRules} has the rules.
 *
 * <p>Internal to the gateway: public types here serve its other packages only, are not API and may
 * change in any release.
 */
@NullMarked
package io.retrysafe.gateway.wire;

import org.jspecify.annotations.NullMarked;
