// SPDX-License-Identifier: Apache-2.0
/**
 * What a gateway counts. {@link io.retrysafe.gateway.internal.metrics.Metrics} is the entry point.
 *
 * <p>Public types here serve the other packages of the gateway. They are not API and may change in
 * any release.
 */
@NullMarked
package io.retrysafe.gateway.internal.metrics;

import org.jspecify.annotations.NullMarked;
