// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.payments;

/** What a merchant asks for. */
record Order(long cents, String currency) {}
