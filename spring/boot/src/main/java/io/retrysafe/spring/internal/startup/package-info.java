// SPDX-License-Identifier: Apache-2.0
/** Errors that stop an application from starting, with advice on how to fix them. */
@NullMarked
package io.retrysafe.spring.internal.startup;

import org.jspecify.annotations.NullMarked;
