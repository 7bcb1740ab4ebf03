// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Collects what a contract run says of each rule, and leaves it for the table in {@code
 * docs/http-contract.md}: a file for each adapter in {@code target/http-contract} below the system
 * property {@code retrysafe.root}, or nowhere without that.
 */
final class ContractReport implements TestWatcher, AfterAllCallback {
  private static final String FAILED = "failed";

  private final Map<String, String> verdicts = new ConcurrentSkipListMap<>();

  @Override
  public void testSuccessful(ExtensionContext context) {
    add(context, "passed");
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    add(context, "not applicable");
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    add(context, FAILED);
  }

  private void add(ExtensionContext context, String verdict) {
    Rule rule = context.getRequiredTestMethod().getAnnotation(Rule.class);
    if (rule != null) {
      verdicts.merge(rule.value(), verdict, (a, b) -> a.equals(FAILED) ? a : b);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    String root = System.getProperty("retrysafe.root");
    if (root == null
        || !(context.getTestInstance().orElse(null) instanceof HttpContract contract)
        || contract.adapter().isEmpty()) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    verdicts.forEach(
        (rule, verdict) -> lines.append(rule).append('\t').append(verdict).append('\n'));
    try {
      Path folder = Files.createDirectories(Path.of(root, "target", "http-contract"));
      Files.writeString(folder.resolve(contract.adapter() + ".tsv"), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
