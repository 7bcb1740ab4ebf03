// SPDX-License-Identifier: Apache-2.0
/** {@code @Idempotent} on methods of beans that are no handlers. */
@NullMarked
package io.retrysafe.spring.internal.method;

import org.jspecify.annotations.NullMarked;
