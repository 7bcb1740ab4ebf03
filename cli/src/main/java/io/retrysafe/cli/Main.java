// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.store.NoAnswerException;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParseResult;

/** The {@code retrysafe} command, which by itself only shows what it can do. */
@Command(
    name = "retrysafe",
    description = "Makes state-changing operations safe to retry: one effect, one answer.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:it worked",
      " 1:it did not",
      " 2:the command line was wrong",
      " 6:the store could not be reached"
    },
    subcommands = {DemoCommand.class, SchemaCommand.class})
final class Main {
  static final int UNAVAILABLE = 6;

  private Main() {}

  public static void main(String[] args) {
    System.exit(execute(commandLine(), args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main()).setExecutionExceptionHandler(Main::complain);
  }

  static int execute(CommandLine commandLine, String... args) {
    return commandLine.execute(args.length == 0 ? new String[] {"--help"} : args);
  }

  private static int complain(Exception failure, CommandLine command, ParseResult parsed) {
    command.getErr().println("retrysafe: " + failure.getMessage());
    return failure instanceof NoAnswerException ? UNAVAILABLE : CommandLine.ExitCode.SOFTWARE;
  }

  /** The version that the jar was built as. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"retrysafe " + Optional.ofNullable(version).orElse("(not packaged)")};
    }
  }
}
