// SPDX-License-Identifier: Apache-2.0
/** A payments API: {@link io.retrysafe.examples.payments.PaymentsApplication} starts it. */
@NullMarked
package io.retrysafe.examples.payments;

import org.jspecify.annotations.NullMarked;
