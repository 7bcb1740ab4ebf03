// SPDX-License-Identifier: Apache-2.0
/**
 * Proxying: requests are routed, guarded, passed or observed here. {@link
 * io.retrysafe.gateway.proxy.Proxy} is the entry point; {@link
 * io.retrysafe.gateway.proxy.RequestContext} is what everything that works on a request gets.
 *
 * <p>Internal to the gateway: public types here serve its other packages only, are not API and may
 * change in any release.
 */
@NullMarked
package io.retrysafe.gateway.proxy;

import org.jspecify.annotations.NullMarked;
