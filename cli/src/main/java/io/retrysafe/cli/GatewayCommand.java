// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.source.ConfigSource;
import io.retrysafe.gateway.config.source.GatewaySetting;
import io.retrysafe.gateway.config.source.GatewaySettings;
import io.retrysafe.http.settings.Settings;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** {@code retrysafe gateway}. Every setting is a flag; help shows those that most people need. */
@Command(
    name = "gateway",
    description = "Runs the gateway in front of a service until it is stopped.",
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true,
    sortOptions = false,
    customSynopsis = "retrysafe gateway --upstream URL [--SETTING VALUE]...",
    footer = {
      "",
      "Every other setting of docs/configuration.md is also a flag, such as --answer-limit 64KiB."
          + " Flags override RETRYSAFE_… environment variables, and these override the file.",
      "",
      "Example: retrysafe gateway --upstream http://127.0.0.1:9000 --store sqlite:retrysafe.db"
    })
final class GatewayCommand implements Callable<Integer> {
  private static final Set<String> COMMON =
      Set.of(
          "config",
          "upstream",
          "listen",
          "admin",
          "name",
          "store",
          "near",
          "admin-token",
          "viewer-token",
          "token-file",
          "account",
          "anonymous",
          "mode",
          "log",
          "key",
          "wait",
          "lease",
          "retention",
          "recovery",
          "failures");

  @Spec private CommandSpec spec;

  /** Adds the flags, which are known only at run time. */
  static void addFlags(CommandSpec spec) {
    for (GatewaySetting<?> setting : GatewaySettings.all()) {
      if (setting.isFlag()) {
        add(spec, setting.name(), setting.type(), setting.doc(), setting.standard());
      }
    }
    Settings.all()
        .forEach(s -> add(spec, s.name(), s.type(), s.doc(), GatewaySettings.standard(s)));
  }

  private static void add(CommandSpec spec, String name, String type, String doc, String standard) {
    boolean isPhrase = type.contains(" ");
    String value = isPhrase ? type + "; by default " : "by default ";
    String label = isPhrase ? name.replaceAll(".*-", "").toUpperCase(Locale.ROOT) : type;
    spec.addOption(
        OptionSpec.builder("--" + name)
            .type(String.class)
            .paramLabel(label)
            .description((doc + " (" + value + standard + ")").replace("%", "%%"))
            .hidden(!COMMON.contains(name))
            .build());
  }

  @Override
  public Integer call() throws InterruptedException {
    ConfigSource given = ConfigSource.create(flags(), System.getenv());
    GeneratedTokens made = GeneratedTokens.create(given.get(), Terminal.isThere());
    ConfigSource source = given.tokensOtherwise(made.tokens());
    GatewayConfig config = source.get();
    RunningGateway running = RunningGateway.start(config, source);
    PrintWriter out = spec.commandLine().getOut();
    out.println("requests  " + running.url());
    out.println("admin     " + running.adminUrl());
    try {
      made.tell(config, out);
    } catch (IllegalStateException e) {
      running.close();
      throw e;
    }
    out.flush();
    UntilStopped.run(running, spec.commandLine().getErr());
    return 0;
  }

  private Map<String, String> flags() {
    Map<String, String> flags = new LinkedHashMap<>();
    spec.commandLine()
        .getParseResult()
        .matchedOptions()
        .forEach(
            option -> {
              if (option.getValue() instanceof String value) {
                flags.put(option.longestName().substring(2), value);
              }
            });
    return flags;
  }
}
