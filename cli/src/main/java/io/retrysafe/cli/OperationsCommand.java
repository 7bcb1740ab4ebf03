// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome.Attribute;
import io.retrysafe.operations.ChangeRequest;
import io.retrysafe.operations.Verdict;
import io.retrysafe.store.AuditNote;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retrysafe operations}: what happened to a key, is it safe to retry, who decides. */
@Command(
    name = "operations",
    description = "Finds, explains and resolves operations.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true)
final class OperationsCommand {

  /** Which operations to list. */
  static final class Filters {
    @Option(
        names = "--state",
        paramLabel = "S",
        description = "in_progress, unknown, resumable, completed, failed; several with commas.")
    private @Nullable String state;

    @Option(names = "--account", paramLabel = "A", description = "Of this account.")
    private @Nullable String account;

    @Option(names = "--key", paramLabel = "K", description = "With this key.")
    private @Nullable String key;

    @Option(
        names = "--route",
        paramLabel = "R",
        description = "Of this method and path; {…} stands for anything without a slash.")
    private @Nullable String route;

    @Option(names = "--older", paramLabel = "D", description = "Begun so long ago: 10m, 2h.")
    private @Nullable String older;

    @Option(names = "--limit", paramLabel = "N", description = "At most so many, 100 by default.")
    private @Nullable Integer limit;

    @Option(names = "--cursor", paramLabel = "C", description = "Go on: what the last list said.")
    private @Nullable String cursor;

    Map<String, String> query() {
      Map<String, String> query = new LinkedHashMap<>();
      OperationSelector.put(query, "state", state);
      OperationSelector.put(query, "account", account);
      OperationSelector.put(query, "key", key);
      OperationSelector.put(query, "route", route);
      OperationSelector.put(query, "older", older);
      OperationSelector.put(query, "limit", limit);
      OperationSelector.put(query, "cursor", cursor);
      return query;
    }
  }

  /** Who changes an operation, why, and which state of it they saw. */
  static final class ChangeOptions {
    @Option(
        names = "--reason",
        required = true,
        paramLabel = "TEXT",
        description = "Why; the audit keeps it.")
    private String reason;

    @Option(
        names = "--actor",
        paramLabel = "NAME",
        defaultValue = "${sys:user.name:-operator}",
        description = "Who, by default your user name on this machine.")
    private String actor;

    @Option(
        names = "--fence",
        paramLabel = "N",
        description = "The fence that show printed; if the operation has another, refuse.")
    private @Nullable Long fence;

    /** Without a fence from the operator, that of the listing holds. */
    ChangeRequest request(OperationSelector.Selected selected) {
      return new ChangeRequest(
          new AuditNote(actor, reason), fence == null ? selected.fence() : OptionalLong.of(fence));
    }
  }

  /** What became of it. */
  static final class Ending {
    @Option(names = "--done", required = true, description = "It happened; say what to answer.")
    private boolean isDone;

    @Option(names = "--not-done", required = true, description = "It did not: a retry may run it.")
    private boolean isNotDone;

    boolean isDone() {
      return isDone && !isNotDone;
    }
  }

  /** What retries are answered. */
  static final class AnswerOptions {
    @Option(names = "--status", paramLabel = "N", description = "The status of the answer.")
    private @Nullable Integer status;

    @Option(names = "--header", paramLabel = "\"N: V\"", description = "A header; may be repeated.")
    private List<String> headers = new ArrayList<>();

    @Option(names = "--body", paramLabel = "TEXT", description = "The body of the answer.")
    private @Nullable String body;

    @Option(names = "--body-file", paramLabel = "FILE", description = "The body, from a file.")
    private @Nullable Path bodyFile;

    @Option(
        names = "--retention",
        paramLabel = "D",
        description = "How long retries are answered, 24h by default.")
    private @Nullable String retention;

    Verdict verdict(boolean isDone) {
      boolean isSaid =
          status != null
              || !headers.isEmpty()
              || body != null
              || bodyFile != null
              || retention != null;
      if (!isDone) {
        if (isSaid) {
          throw new IllegalArgumentException(
              "--not-done has no answer: leave out --status, --header, --body and --retention");
        }
        return new Verdict.NotDone();
      }
      if (body != null && bodyFile != null) {
        throw new IllegalArgumentException("there can be --body or --body-file, not both");
      }
      Duration kept =
          retention == null ? Verdict.Done.RETENTION : Verdict.duration("--retention", retention);
      return new Verdict.Done(
          status == null ? 0 : status,
          headers.stream().map(AnswerOptions::header).toList(),
          bytes(),
          kept);
    }

    private static Attribute header(String line) {
      int colon = line.indexOf(':');
      if (colon < 1) {
        throw new IllegalArgumentException("--header must be \"Name: value\", was " + line);
      }
      return new Attribute(line.substring(0, colon), line.substring(colon + 1).strip());
    }

    private Bytes bytes() {
      if (bodyFile == null) {
        return Bytes.utf8(body == null ? "" : body);
      }
      try {
        return Bytes.wrap(Files.readAllBytes(bodyFile));
      } catch (IOException e) {
        throw new IllegalArgumentException("the file " + bodyFile + " cannot be read", e);
      }
    }
  }

  @Command(
      name = "list",
      description = "Lists operations; unsettled ones alone come oldest first.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {"", "Example: retrysafe operations list --state unknown --older 10m"})
  int list(@Mixin ClientOptions options, @Mixin Filters filters) {
    return options.print(client -> client.list(filters.query()));
  }

  @Command(
      name = "show",
      description = "Shows an operation with its timeline; all times are UTC.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {"", "Example: retrysafe operations show order-1001"})
  int show(@Mixin ClientOptions options, @Mixin OperationSelector selector) {
    return options.print(client -> client.show(selector.id(client)));
  }

  @Command(
      name = "explain",
      description = "Says in one sentence what happened under a key, or what to do.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {"", "Example: retrysafe operations explain order-1001"})
  int explain(@Mixin ClientOptions options, @Mixin OperationSelector selector) {
    if (selector.isId()) {
      throw options.usage("explain takes a caller's key; show takes an id");
    }
    return options.print(client -> client.explain(selector.query()));
  }

  @Command(
      name = "answer",
      description = "Shows what retries of an operation get; secret headers are masked.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {"", "Example: retrysafe operations answer order-1001"})
  int answer(@Mixin ClientOptions options, @Mixin OperationSelector selector) {
    return options.print(client -> client.answer(selector.id(client)));
  }

  @Command(
      name = "resolve",
      description = "Says what became of an operation whose outcome is unknown.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {
        "",
        "Example: retrysafe operations resolve order-1001 --done --status 201",
        "           --body '{\"id\":7}' --reason \"the bank has it as 7\""
      })
  int resolve(
      @Mixin ClientOptions options,
      @Mixin OperationSelector selector,
      @ArgGroup(multiplicity = "1") Ending ending,
      @Mixin AnswerOptions answer,
      @Mixin ChangeOptions change) {
    return options.print(
        client -> {
          OperationSelector.Selected selected = selector.select(client);
          return client.resolve(
              selected.id(), answer.verdict(ending.isDone()), change.request(selected));
        });
  }

  @Command(
      name = "forget",
      description = "Forgets an operation: the next request with its key is the first.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {"", "Example: retrysafe operations forget order-1001 --reason \"a test order\""})
  int forget(
      @Mixin ClientOptions options,
      @Mixin OperationSelector selector,
      @Mixin ChangeOptions change) {
    return options.print(
        client -> {
          OperationSelector.Selected selected = selector.select(client);
          return client.forget(selected.id(), change.request(selected));
        });
  }
}
