// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code retrysafe completion}. */
@Command(
    name = "completion",
    description = "Prints a script that completes commands and options in bash and zsh.",
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true,
    footer = {"", "Example: source <(retrysafe completion)"})
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(AutoComplete.bash("retrysafe", spec.root().commandLine()));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
