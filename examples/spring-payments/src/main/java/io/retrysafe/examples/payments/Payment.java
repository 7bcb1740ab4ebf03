// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.payments;

/** A payment that was made. */
record Payment(String id, String merchant, long cents, String currency) {}
