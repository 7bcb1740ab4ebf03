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

/** {@code retrysafe operations}: lists, explains and changes operations. */
@Command(
    name = "operations",
    description = "Finds, explains and resolves operations.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true)
final class OperationsCommand {

  /** Filters of a listing. */
  static final class Filters {
    @Option(
        names = "--state",
        paramLabel = "S",
        description = "in_progress, unknown, resumable, completed or failed; several with commas.")
    private @Nullable String state;

    @Option(names = "--account", paramLabel = "A", description = "Only this account.")
    private @Nullable String account;

    @Option(names = "--key", paramLabel = "K", description = "Only this key.")
    private @Nullable String key;

    @Option(
        names = "--route",
        paramLabel = "R",
        description = "Only this method and path; {…} matches anything but a slash.")
    private @Nullable String route;

    @Option(
        names = "--older",
        paramLabel = "D",
        description = "Only operations that began at least this long ago: 10m, 2h.")
    private @Nullable String older;

    @Option(names = "--limit", paramLabel = "N", description = "How many at most, 100 by default.")
    private @Nullable Integer limit;

    @Option(
        names = "--cursor",
        paramLabel = "C",
        description = "Continue where the last list ended.")
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

  /** Whether the operation had its effect. */
  static final class Ending {
    @Option(
        names = "--done",
        required = true,
        description = "The effect happened; retries get the answer given here.")
    private boolean isDone;

    @Option(
        names = "--not-done",
        required = true,
        description = "The effect did not happen; a retry runs the operation.")
    private boolean isNotDone;

    boolean isDone() {
      return isDone && !isNotDone;
    }
  }

  /** The answer that retries get. */
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
        throw new IllegalArgumentException("use --body or --body-file, not both");
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
      description = "Lists operations. If only unsettled ones are listed, the oldest come first.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {"", "Example: retrysafe operations list --state unknown --older 10m"})
  int list(@Mixin ClientOptions options, @Mixin Filters filters) {
    return options.print(client -> client.list(filters.query()));
  }

  @Command(
      name = "show",
      description = "Shows an operation with its timeline. All times are UTC.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {"", "Example: retrysafe operations show order-1001"})
  int show(@Mixin ClientOptions options, @Mixin OperationSelector selector) {
    return options.print(client -> client.show(selector.id(client)));
  }

  @Command(
      name = "explain",
      description = "Explains in one sentence what happened under a key, or what to do.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {"", "Example: retrysafe operations explain order-1001"})
  int explain(@Mixin ClientOptions options, @Mixin OperationSelector selector) {
    if (selector.isId()) {
      throw options.usage("explain takes a caller's key; show takes an id as well");
    }
    return options.print(client -> client.explain(selector.query()));
  }

  @Command(
      name = "answer",
      description = "Shows the answer that retries of an operation get. Secret headers are masked.",
      mixinStandardHelpOptions = true,
      usageHelpAutoWidth = true,
      footer = {"", "Example: retrysafe operations answer order-1001"})
  int answer(@Mixin ClientOptions options, @Mixin OperationSelector selector) {
    return options.print(client -> client.answer(selector.id(client)));
  }

  @Command(
      name = "resolve",
      description = "Settles an operation whose outcome is unknown, or frees its key.",
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
      description = "Forgets an operation. The next request with its key is treated as the first.",
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
