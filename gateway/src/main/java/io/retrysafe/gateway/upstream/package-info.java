// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to upstreams: pools, HTTP/1.1 requests and their answers. {@link
 * io.retrysafe.gateway.upstream.Upstreams} is the entry point.
 *
 * <p>Internal to the gateway: public types here serve its other packages only, are not API and may
 * change in any release.
 */
@NullMarked
package io.retrysafe.gateway.upstream;

import org.jspecify.annotations.NullMarked;
