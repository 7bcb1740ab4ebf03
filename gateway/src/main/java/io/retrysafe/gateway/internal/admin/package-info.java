// SPDX-License-Identifier: Apache-2.0
/**
 * The admin port: health, metrics and the admin API. {@link
 * io.retrysafe.gateway.internal.admin.AdminServer} is the entry point.
 *
 * <p>Public types here serve the other packages of the gateway. They are not API and may change in
 * any release.
 */
@NullMarked
package io.retrysafe.gateway.internal.admin;

import org.jspecify.annotations.NullMarked;
