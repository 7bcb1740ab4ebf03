// SPDX-License-Identifier: Apache-2.0
/** {@code @Idempotent} on handlers of Spring MVC: the guard, the filters and their checks. */
@NullMarked
package io.retrysafe.spring.internal.web;

import org.jspecify.annotations.NullMarked;
