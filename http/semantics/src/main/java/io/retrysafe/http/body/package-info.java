// SPDX-License-Identifier: Apache-2.0
/**
 * Request bodies: {@link io.retrysafe.http.body.BodySpool} reads one into memory or a temporary
 * file.
 */
@NullMarked
package io.retrysafe.http.body;

import org.jspecify.annotations.NullMarked;
