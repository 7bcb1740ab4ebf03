// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.jdbc.JdbcSchema;
import io.retrysafe.store.url.StoreUrl;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code retrysafe schema}: the tables of stores in databases. */
@Command(
    name = "schema",
    description = "Prints, creates or checks the tables of a store in a database.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true)
final class SchemaCommand {
  @Spec private CommandSpec spec;

  /** The names that {@link JdbcSchema#print(String)} takes. */
  enum Dialect {
    postgresql,
    mysql,
    mariadb,
    sqlite
  }

  /** Selects the dialect. */
  static final class Which {
    @Option(
        names = "--dialect",
        paramLabel = "DIALECT",
        description = "One of ${COMPLETION-CANDIDATES}; opens no database.")
    private Dialect dialect;

    @Option(names = StoreOption.STORE, paramLabel = "URL", description = "The database.")
    private String store;
  }

  @Command(
      name = "print",
      description = "Prints the statements that create the tables.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example: retrysafe schema print --dialect postgresql > V1__retrysafe.sql"})
  int print(@ArgGroup(multiplicity = "1") Which which) {
    if (which.dialect != null) {
      out().print(JdbcSchema.print(which.dialect.name()));
      out().flush();
      return 0;
    }
    return with(
        StoreOption.url(spec, which.store),
        schema -> {
          out().print(schema.print());
          out().flush();
          return 0;
        });
  }

  @Command(
      name = "apply",
      description = "Creates the tables if they are missing. Never changes existing tables.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example: retrysafe schema apply --store jdbc:postgresql://db/app?user=owner"})
  int apply(@Mixin StoreOption store) {
    return with(
        store.url(),
        schema -> {
          out().println(schema.apply() ? "created the tables" : "the tables exist already");
          return 0;
        });
  }

  @Command(
      name = "check",
      description = "Prints how the tables differ from those that this release needs.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example: retrysafe schema check --store sqlite:/var/lib/app/retrysafe.db"})
  int check(@Mixin StoreOption store) {
    StoreUrl url = store.url();
    if (url.file().filter(file -> !Files.exists(file)).isPresent()) {
      out().println("the file " + url.file().orElseThrow() + " is missing");
      return 1;
    }
    return with(
        url,
        schema -> {
          List<String> differences = schema.check();
          differences.forEach(out()::println);
          if (differences.isEmpty()) {
            out().println("the tables are those of version " + JdbcSchema.VERSION);
          }
          return differences.isEmpty() ? 0 : 1;
        });
  }

  private int with(StoreUrl url, Function<JdbcSchema, Integer> work) {
    try {
      Optional<JdbcSchema> schema = url.schema();
      if (schema.isEmpty()) {
        spec.commandLine().getErr().println(url + " has no tables; there is nothing to do");
        return 0;
      }
      return work.apply(schema.get());
    } catch (NoAnswerException e) {
      throw new NoAnswerException(told(url, e), null);
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw new IllegalStateException(told(url, e), null);
    }
  }

  private static String told(StoreUrl url, RuntimeException failure) {
    return url + ": " + url.masked(String.valueOf(failure.getMessage()));
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
