// SPDX-License-Identifier: Apache-2.0
/** The store bean: on the database, on Redis, on both, or in memory. */
@NullMarked
package io.retrysafe.spring.internal.store;

import org.jspecify.annotations.NullMarked;
