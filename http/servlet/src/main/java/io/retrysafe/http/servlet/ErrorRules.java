// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a handler's errors.
 *
 * @param page the path inside the application that renders them; null for a problem
 * @param isPassedOn which exceptions somebody before the filter answers
 */
record ErrorRules(@Nullable String page, Predicate<Throwable> isPassedOn) {}
