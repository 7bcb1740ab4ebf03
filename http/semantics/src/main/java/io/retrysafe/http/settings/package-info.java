// SPDX-License-Identifier: Apache-2.0
/**
 * The settings of an {@code HttpPolicy} as data; {@link io.retrysafe.http.settings.Settings} lists
 * them.
 */
@NullMarked
package io.retrysafe.http.settings;

import org.jspecify.annotations.NullMarked;
