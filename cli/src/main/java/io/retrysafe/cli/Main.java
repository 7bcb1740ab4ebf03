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

/** The {@code retrysafe} command. Without a subcommand it prints its help. */
@Command(
    name = "retrysafe",
    description = "Makes state-changing operations safe to retry: one effect, one answer.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:success",
      " 1:error",
      " 2:wrong command line",
      " 3:operation not found",
      " 4:token missing, wrong or without the role",
      " 5:refused in the present state of the operation",
      " 6:store or gateway not reachable"
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

  /** Prints what is wrong and how to get help; the whole help would push that off the screen. */
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

  /** The version of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"retrysafe " + Optional.ofNullable(version).orElse("(not packaged)")};
    }
  }
}
