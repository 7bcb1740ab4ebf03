// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.source.ConfigSource;
import io.retrysafe.gateway.describe.GatewayDescription;
import io.retrysafe.operations.Result;
import io.retrysafe.store.Profile;
import io.retrysafe.store.jdbc.JdbcSchema;
import io.retrysafe.store.url.OpenStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retrysafe describe}: prints how a configuration guards each route. */
@Command(
    name = "describe",
    description = {
      "Prints the whole design of each route: key, scope, claim, duplicates in flight,"
          + " downstream keys, retention, promise, errors, an example and the store's tables."
    },
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true,
    footer = {
      "",
      "Example: retrysafe describe --config retrysafe.yaml \"POST /payments\" --format markdown"
    })
final class DescribeCommand implements Callable<Integer> {
  private static final String UPSTREAM = "http://127.0.0.1:9000";

  @Spec private CommandSpec spec;

  /** Output formats. */
  enum Format {
    text,
    markdown,
    json,
    openapi
  }

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration of a gateway; without it, all defaults.")
  private @Nullable Path config;

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description = "The admin API of a running gateway, to describe its present routes.")
  private @Nullable String admin;

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      description = "The token; safer in $RETRYSAFE_ADMIN_TOKEN, which other users cannot see.")
  private @Nullable String token;

  @Option(
      names = "--format",
      paramLabel = "F",
      defaultValue = "text",
      description = "One of ${COMPLETION-CANDIDATES}.")
  private Format format;

  @Option(
      names = "--connect",
      description = "Connect to the store for its promise; otherwise no store is opened.")
  private boolean connects;

  @Parameters(
      paramLabel = "ROUTE",
      arity = "0..1",
      description = "One route, as written in the configuration.")
  private @Nullable String route;

  @Override
  public Integer call() {
    if (admin != null) {
      return ask(admin);
    }
    GatewayConfig wanted = read();
    GatewayDescription design = GatewayDescription.of(wanted, connects ? profile(wanted) : null);
    Optional<String> ddl = dialect(wanted.store()).map(JdbcSchema::print);
    design = ddl.isPresent() ? design.ddl(ddl.get()) : design;
    spec.commandLine().getOut().print(printed(only(design)));
    spec.commandLine().getOut().flush();
    return 0;
  }

  private int ask(String running) {
    if (config != null || connects || format == Format.markdown || format == Format.openapi) {
      throw new ParameterException(
          spec.commandLine(),
          "--admin asks a running gateway, which answers with --format text or json, without"
              + " --config and --connect");
    }
    AdminClient client = ClientOptions.admin(spec, running, token, format == Format.json);
    Result routes = client.routes(Optional.ofNullable(route));
    spec.commandLine().getOut().print(format == Format.json ? routes.json() + "\n" : routes.text());
    spec.commandLine().getOut().flush();
    return 0;
  }

  private GatewayConfig read() {
    if (config != null) {
      return ConfigSource.ofFile(config).get();
    }
    Map<String, String> flags = new HashMap<>();
    if (System.getenv("RETRYSAFE_UPSTREAM") == null) {
      flags.put("upstream", UPSTREAM);
    }
    return ConfigSource.create(flags, System.getenv()).get();
  }

  private GatewayDescription only(GatewayDescription design) {
    try {
      return route == null ? design : design.only(route);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static Profile profile(GatewayConfig wanted) {
    try (OpenStore store =
        OpenStore.builder(wanted.store()).startWithin(Duration.ofSeconds(5)).build()) {
      return store.profile();
    }
  }

  private static Optional<String> dialect(String url) {
    if (url.startsWith("sqlite:")) {
      return Optional.of("sqlite");
    }
    return url.startsWith("jdbc:") ? Optional.of(url.split(":", 3)[1]) : Optional.empty();
  }

  private String printed(GatewayDescription design) {
    return switch (format) {
      case text -> design.text();
      case markdown -> design.markdown();
      case json -> design.json() + "\n";
      case openapi -> design.openApi() + "\n";
    };
  }
}
