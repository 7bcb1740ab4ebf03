// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

/** The payment provider. Calls with a key that it knows are repetitions: they change nothing. */
interface Card {
  String charge(String key, int cents);

  void refund(String key, String charge);
}
