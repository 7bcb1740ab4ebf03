// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.operations.Result;
import java.net.URI;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Selects the admin API or the store, and the output format. */
final class ClientOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description = "The admin API of a gateway; by default $RETRYSAFE_ADMIN.")
  private @Nullable String admin;

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      description = "The token; safer in $RETRYSAFE_ADMIN_TOKEN, which other users cannot see.")
  private @Nullable String token;

  @Option(
      names = StoreOption.STORE,
      paramLabel = "URL",
      description = "The store, instead of --admin; by default $RETRYSAFE_STORE.")
  private @Nullable String store;

  @Option(names = "--json", description = "Print JSON; its names are stable.")
  private boolean json;

  /** Runs {@code work} and prints its result. */
  int print(Function<OperationsClient, Result> work) {
    try (OperationsClient client = open()) {
      return print(work.apply(client));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  int print(Result result) {
    spec.commandLine().getOut().print(json ? result.json() + "\n" : result.text());
    spec.commandLine().getOut().flush();
    return 0;
  }

  /** Prints an empty line between repeated results; JSON results are one line each. */
  void separate() {
    if (!json) {
      spec.commandLine().getOut().println();
      spec.commandLine().getOut().flush();
    }
  }

  OperationsClient open() {
    if (admin != null && store != null) {
      throw usage("use --admin or --store, not both");
    }
    Optional<String> asked = given(admin, "RETRYSAFE_ADMIN");
    Optional<String> opened = given(store, "RETRYSAFE_STORE");
    if (asked.isPresent() && store == null) {
      return admin(spec, asked.get(), token, json);
    }
    if (opened.isPresent()) {
      return StoreClient.open(StoreOption.url(spec, opened.get()));
    }
    throw usage("--admin URL with --admin-token, or --store URL is needed");
  }

  private static Optional<String> given(@Nullable String flag, String variable) {
    return Optional.ofNullable(flag == null ? System.getenv(variable) : flag)
        .filter(text -> !text.isBlank());
  }

  /** Returns a client of the admin API; without a token it uses that of the environment. */
  static AdminClient admin(
      CommandSpec spec, String address, @Nullable String token, boolean wantsJson) {
    Optional<String> known = given(token, "RETRYSAFE_ADMIN_TOKEN");
    return new AdminClient(url(spec, address), known.orElse(null), wantsJson);
  }

  private static URI url(CommandSpec spec, String text) {
    try {
      URI url = URI.create(text.contains("://") ? text : "http://" + text);
      if (url.getHost() != null && url.getScheme().startsWith("http")) {
        return url;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new ParameterException(
        spec.commandLine(),
        "--admin must be an address such as http://127.0.0.1:8081, was " + text);
  }

  ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
