// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

import java.util.Optional;

/** The carrier. Calls with a key that it knows are repetitions: they change nothing. */
interface Shipping {
  /** Returns the parcel that was shipped under this key. */
  Optional<String> find(String key);

  String ship(String key, String reservation) throws CannotShipException;
}
