// SPDX-License-Identifier: Apache-2.0
/** The engine bean. */
@NullMarked
package io.retrysafe.spring.internal.engine;

import org.jspecify.annotations.NullMarked;
