// SPDX-License-Identifier: Apache-2.0
/**
 * Retrysafe in Spring Boot applications: annotate handlers and methods with {@link
 * io.retrysafe.spring.Idempotent}; everything else is found or set by properties.
 */
@NullMarked
package io.retrysafe.spring;

import org.jspecify.annotations.NullMarked;
