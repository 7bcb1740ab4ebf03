// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
import io.retrysafe.internal.DurationText;
import io.retrysafe.store.AuditRecord;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** Explains in one sentence what happened to an operation, or what to do. Guesses nothing. */
final class ExplanationWriter {
  static final Set<String> CLAIMS = Set.of("claimed", "taken_over");
  private static final Set<String> ENDS = Set.of("completed", "reconciled");

  /** Kinds of events that settle an operation. */
  static final Set<String> SETTLING = Set.of("completed", "reconciled", TimelineEvent.RESOLVED);

  /** How far the clocks of processes and stores may differ. */
  private static final Duration SKEW = Duration.ofSeconds(1);

  private final Entry entry;
  private final List<History.Event> events;
  private final Function<OperationKey, Optional<String>> service;

  ExplanationWriter(
      Entry entry, List<History.Event> events, Function<OperationKey, Optional<String>> service) {
    this.entry = entry;
    this.events = events;
    this.service = service;
  }

  String text() {
    return switch (entry.state()) {
      case COMPLETED -> settled() + replays() + mismatches();
      case FAILED ->
          "failed for good: "
              + settled()
              + "; retries get the same error, a new try needs a new key"
              + replays()
              + mismatches();
      case IN_PROGRESS ->
          "in progress since "
              + at(begin())
              + owner(" by ")
              + ", leased until "
              + at(entry.times().leaseUntil())
              + "; duplicates get \"in progress\""
              + mismatches();
      case RESUMABLE ->
          "left resumable"
              + owner(" by ")
              + " at "
              + at(entry.times().leaseUntil())
              + ": the next retry continues after the last remembered step"
              + mismatches();
      case UNKNOWN -> unknown() + mismatches();
    };
  }

  private String settled() {
    Optional<AuditRecord> action = operatorsAction();
    String answered = answered();
    if (action.isPresent()) {
      AuditRecord done = action.get();
      return "said to be done by %s at %s (%s: %s), answers %s"
          .formatted(
              done.note().actor(),
              at(done.at()),
              AuditedAction.what(done),
              done.note().reason(),
              answered);
    }
    String executed =
        entry.attempt() == 1
            ? "executed once"
            : "executed in " + entry.attempt() + " attempts, last";
    String when = entry.attempt() == 1 || last(CLAIMS).isPresent() ? " at " + at(begin()) : "";
    return executed + owner(" by ") + when + ", answered " + answered + took();
  }

  /** Returns the operator's action that settled the operation, if one did. */
  private Optional<AuditRecord> operatorsAction() {
    return events.stream()
        .map(AuditRecord::of)
        .flatMap(Optional::stream)
        .filter(record -> record.hasSettled(entry))
        .findFirst();
  }

  private String answered() {
    int status = entry.outcome().orElseThrow().status();
    String code = status == 0 ? "without a status" : String.valueOf(status);
    return entry.outcome().orElseThrow().isKept() ? code : code + " (the answer was not kept)";
  }

  private String took() {
    boolean isKnown = entry.attempt() == 1 || last(CLAIMS).isPresent();
    Instant end = entry.times().leaseUntil();
    Optional<Instant> late = last(ENDS).map(History.Event::last).filter(isLater(end));
    if (late.isPresent()) {
      return " late, at " + at(late.get());
    }
    return isKnown
        ? " in " + DurationText.rounded(Duration.between(begin(), end))
        : " at " + at(end);
  }

  /** Returns whether a time is after {@code end} by more than clocks may differ. */
  static Predicate<Instant> isLater(Instant end) {
    return moment -> moment.isAfter(end.plus(SKEW));
  }

  private String unknown() {
    String there = service.apply(entry.key()).orElse("the service");
    String who = last(CLAIMS).map(History.Event::by).orElse("its owner");
    String how =
        entry.standing() == Standing.UNKNOWN
            ? who + " sent it to " + there + " and got no answer"
            : who
                + " began it at "
                + at(begin())
                + " and did not end it; the request may have reached "
                + there;
    return "outcome unknown since "
        + at(entry.times().leaseUntil())
        + ": "
        + how
        + "; ask "
        + there
        + ", then `operations resolve "
        + Shell.quoted(entry.key().value())
        + " --fence "
        + entry.fence()
        + " --reason … --done --status N` or `--not-done`";
  }

  private String replays() {
    int count = events.stream().filter(this::isReplay).mapToInt(History.Event::count).sum();
    if (count == 0) {
      return "";
    }
    Instant latest =
        events.stream()
            .filter(this::isReplay)
            .map(History.Event::last)
            .max(Instant::compareTo)
            .orElseThrow();
    return ", replayed " + times(count) + " (last " + at(latest) + ")";
  }

  private boolean isReplay(History.Event event) {
    return event.kind().equals(History.REPLAYED);
  }

  private String mismatches() {
    int count =
        events.stream()
            .filter(event -> event.kind().equals("mismatch"))
            .mapToInt(History.Event::count)
            .sum();
    return count == 0 ? "" : ", another request used the same key " + times(count);
  }

  private static String times(int count) {
    return count == 1 ? "once" : count == 2 ? "twice" : count + " times";
  }

  private Instant begin() {
    return entry.attempt() == 1
        ? entry.times().createdAt()
        : last(CLAIMS).map(History.Event::last).orElse(entry.times().createdAt());
  }

  private String owner(String before) {
    return last(CLAIMS).map(event -> before + event.by()).orElse("");
  }

  private Optional<History.Event> last(Set<String> kinds) {
    return events.stream().filter(event -> kinds.contains(event.kind())).reduce((a, b) -> b);
  }

  private String at(Instant moment) {
    return Moments.text(moment, entry.times().readAt());
  }
}
