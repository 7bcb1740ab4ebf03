// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.retrysafe.testkit.ContractReport;
import io.retrysafe.testkit.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A run of the contract inside a test. */
final class ContractRun {
  private ContractRun() {}

  /**
   * Runs a contract and returns its verdicts by rule.
   *
   * @param rule which rule; all for a star
   * @param store what the store calls itself
   */
  static Map<String, String> verdicts(
      Class<? extends StoreContract> contract, String rule, Path results, String store)
      throws IOException {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(contract))
            .filters(only(rule))
            .configurationParameter(ContractReport.RESULTS, results.toString())
            .build();
    LauncherFactory.create().execute(request);
    Map<String, String> verdicts = new TreeMap<>();
    for (String line : Files.readAllLines(results.resolve(store + ".tsv"))) {
      verdicts.put(line.substring(0, line.indexOf('\t')), line.substring(line.indexOf('\t') + 1));
    }
    return verdicts;
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
