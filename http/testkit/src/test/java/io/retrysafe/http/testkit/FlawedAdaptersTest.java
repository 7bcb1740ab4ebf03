// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.retrysafe.testkit.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The kit finds what is wrong with an adapter: each mistake fails the rule that it breaks. */
final class FlawedAdaptersTest {

  @TestFactory
  Stream<DynamicTest> everyFlawFailsItsRule() {
    return Stream.of(Flaw.values())
        .map(
            flaw ->
                dynamicTest(
                    flaw + " fails " + flaw.rule,
                    () -> assertThat(failures(flaw, flaw.rule)).hasSize(1)));
  }

  @Test
  void anAdapterWithoutAFlawPassesEveryRule() {
    assertThat(failures(null, "*")).isEmpty();
  }

  private static List<String> failures(@Nullable Flaw flaw, String rule) {
    FlawedContract.flaw = flaw;
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(FlawedContract.class))
            .filters(only(rule))
            .build();
    List<String> failures = new ArrayList<>();
    List<String> passed = new ArrayList<>();
    LauncherFactory.create()
        .execute(
            request,
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                  failures.add(test.getDisplayName() + ": " + result.getThrowable().orElse(null));
                } else if (test.isTest()) {
                  passed.add(test.getDisplayName());
                }
              }
            });
    assertThat(failures.size() + passed.size()).as("rules that were run").isPositive();
    return failures;
  }

  private static PostDiscoveryFilter only(String rule) {
    return test ->
        FilterResult.includedIf(
            rule.equals("*")
                || test.getSource()
                    .filter(MethodSource.class::isInstance)
                    .map(MethodSource.class::cast)
                    .map(method -> method.getJavaMethod().getAnnotation(Rule.class))
                    .map(found -> found.value().equals(rule))
                    .orElse(true));
  }
}
