// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Settings;
import java.time.Duration;

/** Sets what {@code http/semantics} knows, and says where a value stands that it does not take. */
final class Policies {
  private Policies() {}

  static HttpPolicy with(HttpPolicy policy, String name, Value value) {
    HttpPolicy changed;
    try {
      changed = policy.with(name, value.plain());
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw value.place().error(String.valueOf(e.getMessage()));
    }
    Object read = changed.get(Settings.named(name));
    if (read instanceof Duration duration && duration.compareTo(Words.LONGEST) > 0) {
      throw value.place().error(name + " must be at most 3650d, was " + value);
    }
    return changed;
  }
}
