// SPDX-License-Identifier: Apache-2.0
/**
 * Proxying: requests are routed, guarded, passed or observed here. {@link
 * io.retrysafe.gateway.internal.proxy.Proxy} is the entry point; {@link
 * io.retrysafe.gateway.internal.proxy.RequestContext} is what everything that works on a request
 * gets.
 *
 * <p>Public types here serve the other packages of the gateway. They are not API and may change in
 * any release.
 */
@NullMarked
package io.retrysafe.gateway.internal.proxy;

import org.jspecify.annotations.NullMarked;
