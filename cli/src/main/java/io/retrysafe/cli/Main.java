// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.io.PrintWriter;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

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
      " 3:there is no such operation",
      " 4:the token is missing, wrong or not enough",
      " 5:it cannot be done as the operation is now",
      " 6:the store or the gateway could not be reached"
    },
    subcommands = {
      DemoCommand.class,
      GatewayCommand.class,
      ConfigCommand.class,
      SchemaCommand.class,
      OperationsCommand.class,
      AuditCommand.class,
      StatsCommand.class,
      SweepCommand.class,
      DescribeCommand.class,
      CompletionCommand.class
    })
final class Main {
  private static final String FORMAT = "java.util.logging.SimpleFormatter.format";

  private Main() {}

  public static void main(String[] args) {
    // Read once, when the first line is logged.
    if (System.getProperty(FORMAT) == null) {
      System.setProperty(FORMAT, "%1$tFT%1$tT.%1$tL%1$tz %4$s %5$s%6$s%n");
    }
    System.exit(execute(commandLine(), args));
  }

  static CommandLine commandLine() {
    CommandLine main = new CommandLine(new Main());
    main.getSubcommands()
        .forEach(
            (name, command) -> {
              if (command.getCommand() instanceof GatewayCommand) {
                GatewayCommand.addFlags(command.getCommandSpec());
              }
            });
    return main.setExecutionExceptionHandler(Main::complain)
        .setParameterExceptionHandler(Main::refuse)
        // A token may begin with an @.
        .setExpandAtFiles(false);
  }

  static int execute(CommandLine commandLine, String... args) {
    return commandLine.execute(args.length == 0 ? new String[] {"--help"} : args);
  }

  /** Says what is wrong and where help is: all of the help would push that off the screen. */
  private static int refuse(ParameterException wrong, String[] args) {
    PrintWriter err = wrong.getCommandLine().getErr();
    err.println("retrysafe: " + wrong.getMessage());
    UnmatchedArgumentException.printSuggestions(wrong, err);
    err.println("help: " + wrong.getCommandLine().getCommandSpec().qualifiedName() + " --help");
    err.flush();
    return ExitCodes.USAGE;
  }

  private static int complain(Exception failure, CommandLine command, ParseResult parsed) {
    command.getErr().println("retrysafe: " + failure.getMessage());
    return ExitCodes.of(failure);
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
