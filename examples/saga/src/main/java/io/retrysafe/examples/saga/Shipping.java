// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

/** The carrier. Calls with a key that it knows are repetitions: they change nothing. */
interface Shipping {
  String ship(String key, String reservation) throws CannotShipException;
}
