// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testkit;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayNameGenerator;

/**
 * Shows a test as its rule's id and its name as a sentence: "C-07 a stale owner cannot complete".
 */
public final class RuleNames extends DisplayNameGenerator.Standard {

  @Override
  public String generateDisplayNameForMethod(
      List<Class<?>> enclosingInstanceTypes, Class<?> testClass, Method testMethod) {
    Rule rule = testMethod.getAnnotation(Rule.class);
    String sentence = sentence(testMethod.getName());
    return rule == null ? sentence : rule.value() + " " + sentence;
  }

  static String sentence(String name) {
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=[0-9])", " ")
        .toLowerCase(Locale.ROOT);
  }
}
