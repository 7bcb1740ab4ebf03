// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retrysafe audit}. */
@Command(
    name = "audit",
    description = "Lists operators' actions with their reasons, newest first. All times are UTC.",
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true,
    footer = {"", "Example: retrysafe audit --before 2026-11-15T12:00:00Z"})
final class AuditCommand implements Callable<Integer> {
  @Mixin private ClientOptions options;

  @Option(
      names = "--before",
      paramLabel = "T",
      description = "Only actions before this time; the last page prints the next one.")
  private @Nullable String before;

  @Option(names = "--limit", paramLabel = "N", description = "How many at most, 100 by default.")
  private @Nullable Integer limit;

  @Override
  public Integer call() {
    Map<String, String> query = new LinkedHashMap<>();
    OperationSelector.put(query, "before", before);
    OperationSelector.put(query, "limit", limit);
    return options.print(client -> client.audit(query));
  }
}
