// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.method;

import io.retrysafe.Policy;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.spring.Idempotent;
import io.retrysafe.spring.Idempotent.Transaction;
import io.retrysafe.spring.internal.properties.PolicyProperties;
import io.retrysafe.spring.internal.startup.StartupException;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The policies of annotated methods: the settings of the annotation, else the properties under
 * {@code retrysafe}, else the defaults. They need neither a guard nor a route.
 */
final class MethodPolicies {
  /** The settings that concern operations; all others concern requests and responses. */
  private static final Set<String> NAMES =
      Set.of("lease", "max-running", "retention", "wait", "recovery", "failures", "answer-limit");

  private final Supplier<HttpPolicy> properties;

  MethodPolicies(Supplier<HttpPolicy> properties) {
    this.properties = properties;
  }

  /**
   * Returns the policy of a method.
   *
   * @param where the annotation, as an error message names it
   */
  Policy of(Idempotent annotation, String where) {
    for (String name : PolicyProperties.parsed(annotation.settings(), where).keySet()) {
      if (!NAMES.contains(name)) {
        throw new StartupException(
            where + " has the setting \"" + name + "\", which methods do not take.",
            "Correct or remove it. Methods take " + String.join(", ", new TreeSet<>(NAMES)) + ".");
      }
    }
    boolean isJoined = annotation.transaction() == Transaction.JOIN;
    HttpPolicy base = isJoined ? PolicyProperties.joined() : HttpPolicy.create();
    return PolicyProperties.of(base, annotation.settings(), where)
        .over(properties.get())
        .toEngine();
  }
}
