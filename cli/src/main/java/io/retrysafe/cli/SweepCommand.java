// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code retrysafe sweep}. */
@Command(
    name = "sweep",
    description = "Removes expired operations. Running gateways and engines also do this.",
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true,
    footer = {"", "Example: retrysafe sweep --store jdbc:postgresql://db/app"})
final class SweepCommand implements Callable<Integer> {
  @Mixin private ClientOptions options;

  @Override
  public Integer call() {
    return options.print(OperationsClient::sweep);
  }
}
