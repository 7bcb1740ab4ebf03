// SPDX-License-Identifier: Apache-2.0
/** Transactions of the application in which an operation is completed. */
@NullMarked
package io.retrysafe.spring.internal.transaction;

import org.jspecify.annotations.NullMarked;
