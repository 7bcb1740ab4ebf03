// SPDX-License-Identifier: Apache-2.0
/** The properties under {@code retrysafe}: those of the engine and its store, and the policies. */
@NullMarked
package io.retrysafe.spring.internal.properties;

import org.jspecify.annotations.NullMarked;
