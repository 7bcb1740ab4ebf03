// SPDX-License-Identifier: Apache-2.0
/** Health, metrics and the list of operations in Actuator. */
@NullMarked
package io.retrysafe.spring.internal.actuator;

import org.jspecify.annotations.NullMarked;
