// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retrysafe stats}. */
@Command(
    name = "stats",
    description = "Counts operations by state; with --admin also requests by result.",
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true,
    footer = {"", "Example: retrysafe stats --watch"})
final class StatsCommand implements Callable<Integer> {
  @Mixin private ClientOptions options;

  @Option(names = "--watch", description = "Repeat every two seconds until interrupted.")
  private boolean watches;

  @Option(names = "--times", hidden = true, defaultValue = "2147483647")
  private int times;

  @Override
  public Integer call() throws InterruptedException {
    for (int i = 1; ; i++) {
      int ended = options.print(OperationsClient::stats);
      if (!watches || i >= times) {
        return ended;
      }
      Thread.sleep(2000);
      options.separate();
    }
  }
}
