// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.store.url.StoreUrl;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option {@code --store URL}. */
final class StoreOption {
  static final String STORE = "--store";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  // A text, because what picocli cannot convert it prints, and that may have a password in it.
  @Option(
      names = STORE,
      required = true,
      paramLabel = "URL",
      defaultValue = "${env:RETRYSAFE_STORE}",
      description = {
        "The store: sqlite:PATH, jdbc:postgresql://HOST/DB, jdbc:mariadb://HOST/DB,",
        "redis://HOST and others. By default $RETRYSAFE_STORE, which other users cannot see."
      })
  private String text;

  StoreUrl url() {
    return url(spec, text);
  }

  static StoreUrl url(CommandSpec spec, String text) {
    try {
      return StoreUrl.of(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), STORE + ": " + e.getMessage(), e);
    }
  }
}
