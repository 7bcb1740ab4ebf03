// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Settings;
import java.time.Duration;

/** Reads HTTP settings into a policy, and reports the location of invalid values. */
final class PolicyReader {
  private PolicyReader() {}

  static HttpPolicy with(HttpPolicy policy, String name, ConfigValue value) {
    HttpPolicy changed;
    try {
      changed = policy.with(name, value.plain());
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw value.location().error(String.valueOf(e.getMessage()));
    }
    Object read = changed.get(Settings.named(name));
    if (read instanceof Duration duration && duration.compareTo(ValueParser.LONGEST) > 0) {
      throw value.location().error(name + " must be at most 3650d, was " + value);
    }
    return changed;
  }
}
