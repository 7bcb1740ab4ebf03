// SPDX-License-Identifier: Apache-2.0
/**
 * What a gateway counts. {@link io.retrysafe.gateway.metrics.Metrics} is the entry point.
 *
 * <p>Internal to the gateway: public types here serve its other packages only, are not API and may
 * change in any release.
 */
@NullMarked
package io.retrysafe.gateway.metrics;

import org.jspecify.annotations.NullMarked;
