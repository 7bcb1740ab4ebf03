// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to upstreams: pools, HTTP/1.1 requests and their answers. {@link
 * io.retrysafe.gateway.internal.upstream.Upstreams} is the entry point.
 *
 * <p>Public types here serve the other packages of the gateway. They are not API and may change in
 * any release.
 */
@NullMarked
package io.retrysafe.gateway.internal.upstream;

import org.jspecify.annotations.NullMarked;
