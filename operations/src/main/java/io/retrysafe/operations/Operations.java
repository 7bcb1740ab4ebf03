// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.operations.RefusedException.Reason;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The operations of a store, for the people who run them: list, explain, resolve, forget.
 *
 * <p>Every call asks the store; nothing is kept in between. If the store does not answer, a call
 * throws its {@link io.retrysafe.store.StoreException}. A request that cannot be granted throws
 * {@link RefusedException} and changes nothing. If a store cannot list or keeps no history, the
 * request is refused or that part of the result is missing.
 *
 * <p>Changes go through an engine on the same store: it keeps the audit, reports events and wakes
 * callers that wait.
 */
public final class Operations {
  /** The scope of the gateway's own test operations; listings leave them out. */
  public static final Scope SELF_TEST = Scope.of("retrysafe", "self-test");

  private static final int MOST_SWEPT = 1000;

  /** Stores return no more records of the audit at once. */
  private static final int MOST_AUDITED = 1000;

  private final Store store;
  private final Function<OperationKey, Optional<String>> service;
  private final OperationSearch search;
  private final OperationChanger changer;

  private Operations(Builder builder) {
    this.store = builder.store;
    this.service = builder.service;
    this.search = new OperationSearch(store);
    this.changer = new OperationChanger(store, builder.engine);
  }

  /**
   * Returns the operations of {@code store} with all defaults.
   *
   * @param engine an engine on this store, which applies changes; it stays the caller's to close
   */
  public static Operations create(Store store, Retrysafe engine) {
    return builder(store, engine).build();
  }

  /** Returns a builder with all defaults. */
  public static Builder builder(Store store, Retrysafe engine) {
    return new Builder(store, engine);
  }

  /** Returns the operations that fit {@code query}, a page at a time. */
  public Listing list(OperationQuery query) {
    OperationSearch.Part<OperationSummary> part = search.part(query, OperationSummary::of);
    return new Listing(part.found(), part.unreadable(), part.next());
  }

  /** Returns an operation with its explanation and its timeline, without its answer. */
  public OperationReport show(OperationId id) {
    return report(entry(id));
  }

  private OperationReport report(Entry entry) {
    List<History.Event> events = history(entry);
    return new OperationReport(
        OperationSummary.of(entry),
        new ExplanationWriter(entry, events, service).text(),
        TimelineEvent.all(entry, events));
  }

  /**
   * Explains what happened to the operations under a caller's key: all of {@code key}, narrowed by
   * the other members of the query.
   */
  public Explanation explain(OperationQuery query) {
    String key = query.key().orElseThrow(() -> new IllegalArgumentException("explain needs a key"));
    List<OperationReport> reports = search.all(query, this::report);
    if (reports.isEmpty()) {
      throw new RefusedException(Reason.NOT_FOUND, "There is no operation with this key.");
    }
    return new Explanation(
        key,
        reports.stream().map(OperationReport::operation).toList(),
        reports.stream().map(OperationReport::explanation).toList());
  }

  /** Returns the answer that retries of a settled operation get. */
  public KeptAnswer answer(OperationId id) {
    Entry entry = entry(id);
    if (entry.outcome().isEmpty()) {
      throw new RefusedException(
          Reason.NOT_SETTLED, "There is no answer: the operation is " + entry.state() + ".");
    }
    if (!entry.outcome().get().isKept()) {
      throw new RefusedException(
          Reason.ANSWER_NOT_KEPT,
          "The operation answered "
              + entry.outcome().get().status()
              + "; the answer was not kept.");
    }
    return KeptAnswer.of(id, entry.outcome().get());
  }

  /** Settles an operation whose outcome is unknown, or frees its key, as {@code verdict} says. */
  public Change resolve(OperationId id, Verdict verdict, ChangeRequest request) {
    return changer.resolve(entry(id), verdict, request);
  }

  /**
   * Forgets an operation, settled or not: the next request with its key is treated as the first.
   */
  public Change forget(OperationId id, ChangeRequest request) {
    return changer.forget(entry(id), request);
  }

  /** Counts operations by state, up to 10,000 unsettled and 1,000 settled ones. */
  public Stats stats() {
    Map<State, Integer> counts = new EnumMap<>(State.class);
    EnumSet<State> unsettled = EnumSet.of(State.IN_PROGRESS, State.UNKNOWN, State.RESUMABLE);
    EnumSet<State> atLeast = EnumSet.noneOf(State.class);
    AtomicInteger unreadable = new AtomicInteger();
    List<OperationSummary> waiting =
        search.count(unsettled, 10_000, counts, atLeast, unreadable::addAndGet);
    search.count(EnumSet.complementOf(unsettled), 1000, counts, atLeast, unreadable::addAndGet);
    return new Stats(
        counts,
        atLeast,
        waiting.stream().filter(each -> each.state() == State.UNKNOWN).findFirst(),
        unreadable.get(),
        Map.of());
  }

  /** Returns operators' actions, newest first; none if the store keeps no audit. */
  public Audit audit(AuditQuery query) {
    // An action has two records, and one record more tells whether there is a next page.
    int most = Math.min(2 * query.limit() + 1, MOST_AUDITED);
    List<History.Event> records =
        store
            .capability(History.class)
            .map(history -> Reading.of(() -> history.audit(query.end(), most)))
            .orElse(List.of());
    return Audit.page(records, records.size() == most, query.limit());
  }

  /**
   * Removes expired operations. Running engines do this as well.
   *
   * @param limit how many at most, 1 to 100,000
   */
  public Sweeping sweep(int limit) {
    if (limit < 1 || limit > 100_000) {
      throw new IllegalArgumentException("limit must be from 1 to 100000, was " + limit);
    }
    Sweepable sweepable = store.capability(Sweepable.class).orElse(null);
    if (sweepable == null) {
      return new Sweeping(0, List.of(), true);
    }
    int removed = 0;
    List<OperationSummary> unsettled = new ArrayList<>();
    for (boolean isMore = true; isMore && removed < limit; ) {
      int most = Math.min(MOST_SWEPT, limit - removed);
      Sweepable.Swept swept = sweepable.sweep(most);
      removed += swept.removed();
      swept.unsettled().forEach(entry -> unsettled.add(OperationSummary.of(entry)));
      isMore = swept.removed() == most;
    }
    return new Sweeping(removed, unsettled, false);
  }

  private Entry entry(OperationId id) {
    return search
        .find(id.key())
        .orElseThrow(
            () ->
                new RefusedException(
                    Reason.NOT_FOUND, "There is no such operation, or it was forgotten."));
  }

  private List<History.Event> history(Entry entry) {
    return store
        .capability(History.class)
        .map(history -> Reading.of(() -> history.history(entry.key())))
        .orElse(List.of());
  }

  /** Settings of a view. */
  public static final class Builder {
    private final Store store;
    private final Retrysafe engine;
    private Function<OperationKey, Optional<String>> service = key -> Optional.empty();

    private Builder(Store store, Retrysafe engine) {
      this.store = store;
      this.engine = engine;
    }

    /** The name of the service that an operation goes to, for explanations; none by default. */
    public Builder service(Function<OperationKey, Optional<String>> service) {
      this.service = service;
      return this;
    }

    /** Returns the view. */
    public Operations build() {
      return new Operations(this);
    }
  }
}
