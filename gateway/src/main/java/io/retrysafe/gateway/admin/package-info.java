// SPDX-License-Identifier: Apache-2.0
/**
 * The admin port: health, metrics and the admin API. {@link io.retrysafe.gateway.admin.AdminServer}
 * is the entry point.
 *
 * <p>Internal to the gateway: public types here serve its other packages only, are not API and may
 * change in any release.
 */
@NullMarked
package io.retrysafe.gateway.admin;

import org.jspecify.annotations.NullMarked;
