// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

/** What a customer wants. */
record Order(String item, int cents) {}
