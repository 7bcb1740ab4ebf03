// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testkit;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Collects the result of each rule in a contract run and writes them for {@link ContractTable}: to
 * the folder in the JUnit parameter or system property {@code retrysafe.contract.results}, else to
 * {@code target/} and the contract's name below the system property {@code retrysafe.root}, else
 * nowhere.
 */
public final class ContractReport implements TestWatcher, AfterAllCallback {
  /** The JUnit parameter that names the folder of results. */
  public static final String RESULTS = "retrysafe.contract.results";

  private final Map<String, Verdict> verdicts = new ConcurrentSkipListMap<>();

  @Override
  public void testSuccessful(ExtensionContext context) {
    add(context, Verdict.PASSED);
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    String reason = cause == null ? "" : String.valueOf(cause.getMessage());
    boolean notOffered = reason.startsWith(Verdict.NOT_OFFERED.toString());
    add(context, notOffered ? Verdict.NOT_OFFERED : Verdict.NOT_APPLICABLE);
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    add(context, Verdict.FAILED);
  }

  private void add(ExtensionContext context, Verdict verdict) {
    Rule rule = context.getRequiredTestMethod().getAnnotation(Rule.class);
    if (rule != null) {
      verdicts.merge(rule.value(), verdict, (a, b) -> a.compareTo(b) <= 0 ? a : b);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getTestInstance().orElse(null) instanceof Contract contract
        && !contract.subjectName().isEmpty()) {
      folder(context, contract.contractName())
          .ifPresent(folder -> ContractTable.write(folder, contract.subjectName(), verdicts));
    }
  }

  private static Optional<Path> folder(ExtensionContext context, String contract) {
    return context
        .getConfigurationParameter(RESULTS)
        .map(Path::of)
        .or(
            () ->
                Optional.ofNullable(System.getProperty("retrysafe.root"))
                    .map(root -> Path.of(root, "target", contract)));
  }
}
