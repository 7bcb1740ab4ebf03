// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

/** The warehouse. Calls with a key that it knows are repetitions: they change nothing. */
interface Stock {
  String reserve(String key, String item);

  void release(String key, String reservation);
}
