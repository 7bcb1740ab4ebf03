// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How errors of a handler are answered.
 *
 * @param page the path inside the application that renders them; null for a problem
 * @param isPassedOn which exceptions an earlier filter answers
 * @param handled which exception of the handler the framework made the answer of; null for none
 */
record ErrorRules(
    @Nullable String page,
    Predicate<Throwable> isPassedOn,
    Function<HttpServletRequest, @Nullable Throwable> handled) {}
