// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.source.ConfigException;
import io.retrysafe.gateway.config.source.ConfigSource;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retrysafe config}: checks and prints configuration files of the gateway. */
@Command(
    name = "config",
    description = "Checks a configuration file of the gateway, or prints one to start with.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true)
final class ConfigCommand {
  @Spec private CommandSpec spec;

  @Command(
      name = "check",
      description = "Checks a file without flags and environment variables.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example: retrysafe config check retrysafe.yaml"})
  int check(@Parameters(paramLabel = "FILE", description = "The file.") Path file) {
    try {
      GatewayConfig config = ConfigSource.ofFile(file).get();
      spec.commandLine()
          .getOut()
          .printf(
              "%s is valid: upstreams %s, routes %d%n",
              file, config.upstreams().keySet(), config.routes().size());
      return 0;
    } catch (ConfigException e) {
      spec.commandLine().getErr().println("retrysafe: " + e.getMessage());
      return 1;
    }
  }

  @Command(
      name = "init",
      description = "Prints a commented file that is ready to use.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example: retrysafe config init > retrysafe.yaml"})
  int init() {
    spec.commandLine().getOut().print(ConfigSource.sample());
    spec.commandLine().getOut().flush();
    return 0;
  }
}
