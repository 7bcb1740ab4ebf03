// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.operations.RefusedException.Reason;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * What people do with the operations of a store: look, explain, resolve, forget.
 *
 * <p>It asks the store at every call and keeps nothing. A call that the store does not answer
 * throws its {@link io.retrysafe.store.StoreException}; a wish that cannot be granted throws {@link
 * RefusedException} and changes nothing. What a store cannot do (list, keep a history) is refused
 * or left out.
 */
public final class Operations {
  /** The scope of operations that nobody asked for; listings leave them out. */
  public static final Scope SELF_TEST = Scope.of("retrysafe", "self-test");

  private static final int MOST_SWEPT = 1000;
  private static final int MOST_LISTINGS = 5;

  private final Store store;
  private final Function<OperationKey, Optional<String>> service;
  private final Pages pages;

  private Operations(Builder builder) {
    this.store = builder.store;
    this.service = builder.service;
    this.pages = new Pages(store);
  }

  /** Returns the view of {@code store} with all defaults. */
  public static Operations create(Store store) {
    return builder(store).build();
  }

  /** Returns a builder with all defaults. */
  public static Builder builder(Store store) {
    return new Builder(store);
  }

  /** Returns the operations that fit {@code query}, a page at a time. */
  public Listing list(OperationQuery query) {
    if (query.account().isPresent() && query.key().isPresent() && query.cursor().isEmpty()) {
      Listing named = named(query);
      if (!named.operations().isEmpty() || !named.unreadable().isEmpty()) {
        return named;
      }
    }
    return pages.page(query);
  }

  /** Returns those whose scope the query names, without a walk through the store. */
  private Listing named(OperationQuery query) {
    String route = query.route().orElse("");
    List<OperationSummary> named = new ArrayList<>();
    List<UnreadableOperation> unreadable = new ArrayList<>();
    if (!route.isEmpty() && !route.contains("{")) {
      Endpoint.scopes(query.account().orElseThrow(), route).stream()
          .distinct()
          .map(scope -> OperationKey.of(scope, query.key().orElseThrow()))
          .forEach(
              key -> {
                try {
                  find(key)
                      .filter(entry -> query.states().contains(entry.state()))
                      .filter(entry -> entry.age().compareTo(query.older()) >= 0)
                      .map(OperationSummary::of)
                      .ifPresent(named::add);
                } catch (RefusedException e) {
                  if (e.reason() != Reason.UNREADABLE) {
                    throw e;
                  }
                  String name = new OperationId(key).toString();
                  unreadable.add(new UnreadableOperation(name, Optional.of(key), e.getMessage()));
                }
              });
    }
    return new Listing(named, unreadable, Optional.empty());
  }

  /** Returns all that is known about an operation but its answer. */
  public OperationReport show(OperationId id) {
    return report(entry(id));
  }

  private OperationReport report(Entry entry) {
    List<History.Event> events = history(entry);
    return new OperationReport(
        OperationSummary.of(entry),
        new Sentence(entry, events, service).text(),
        events.stream().map(TimelineEvent::of).toList());
  }

  /**
   * Returns what happened to the operations under a caller's key: all of {@code key}, narrowed by
   * what else the query says.
   */
  public Explanation explain(OperationQuery query) {
    String key =
        query.key().orElseThrow(() -> new IllegalArgumentException("key is needed to explain"));
    List<OperationReport> reports =
        found(query).stream().map(each -> reported(each.id())).flatMap(Optional::stream).toList();
    if (reports.isEmpty()) {
      throw new RefusedException(Reason.NOT_FOUND, "There is no operation with this key.");
    }
    return new Explanation(
        key,
        reports.stream().map(OperationReport::operation).toList(),
        reports.stream().map(OperationReport::explanation).toList());
  }

  /** Returns what a search finds, page after page where the store takes several for it. */
  private List<OperationSummary> found(OperationQuery query) {
    List<OperationSummary> found = new ArrayList<>();
    List<UnreadableOperation> unreadable = new ArrayList<>();
    Optional<String> cursor = query.cursor().or(() -> Optional.of(""));
    for (int i = 0; i < MOST_LISTINGS && cursor.isPresent() && found.size() < query.limit(); i++) {
      Listing page = list(query.from(cursor.get()));
      found.addAll(page.operations());
      unreadable.addAll(page.unreadable());
      cursor = page.next();
    }
    if (found.isEmpty() && !unreadable.isEmpty()) {
      throw new RefusedException(
          Reason.UNREADABLE,
          "The store holds something that this release cannot read: "
              + unreadable.get(0).problem());
    }
    if (found.isEmpty() && cursor.isPresent()) {
      throw new RefusedException(
          Reason.NOT_FINISHED,
          "The store holds too much to search all of it: it is not among what was looked at."
              + " With account and route it is one look.");
    }
    return found;
  }

  /** What was found may be forgotten a moment later. */
  private Optional<OperationReport> reported(OperationId id) {
    return find(id.key()).map(this::report);
  }

  /** Returns what retries of a settled operation get. */
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
              + "; the rest of its answer was not kept.");
    }
    return KeptAnswer.of(id, entry.outcome().get());
  }

  /**
   * Says what became of an unsettled operation.
   *
   * @param fence the fence of the operation that was seen; empty for the operation as it is now
   */
  public Change resolve(OperationId id, Verdict verdict, OptionalLong fence, Because because) {
    return changes(id).resolve(seen(id, fence), verdict, because);
  }

  /** Forgets an operation, settled or not: the next claim of its key is the first. */
  public Change forget(OperationId id, OptionalLong fence, Because because) {
    return changes(id).forget(seen(id, fence), because);
  }

  private Changes changes(OperationId id) {
    return store
        .capability(Resolvable.class)
        .map(resolvable -> new Changes(store, resolvable, id))
        .orElseThrow(
            () ->
                new RefusedException(
                    Reason.NOT_SUPPORTED, store.profile().name() + " takes no operator's word."));
  }

  private Entry seen(OperationId id, OptionalLong fence) {
    Entry entry = entry(id);
    if (fence.isPresent() && fence.getAsLong() != entry.fence()) {
      throw new RefusedException(
          Reason.CHANGED,
          "The operation was claimed again since it had the fence %d; now it is %s with the fence %d."
              .formatted(fence.getAsLong(), entry.state(), entry.fence()));
    }
    return entry;
  }

  /**
   * Returns how many operations there are, counted up to 10,000 unsettled and 1,000 settled ones.
   */
  public Stats stats() {
    Map<State, Integer> counts = new EnumMap<>(State.class);
    EnumSet<State> unsettled = EnumSet.of(State.IN_PROGRESS, State.UNKNOWN, State.RESUMABLE);
    EnumSet<State> atLeast = EnumSet.noneOf(State.class);
    AtomicInteger unreadable = new AtomicInteger();
    List<OperationSummary> waiting =
        pages.count(unsettled, 10_000, counts, atLeast, unreadable::addAndGet);
    pages.count(EnumSet.complementOf(unsettled), 1000, counts, atLeast, unreadable::addAndGet);
    return new Stats(
        counts,
        atLeast,
        waiting.stream().filter(each -> each.state() == State.UNKNOWN).findFirst(),
        unreadable.get(),
        Map.of());
  }

  /** Returns what operators did, newest first; nothing where the store keeps no history. */
  public Audit audit(AuditQuery query) {
    // One more than are shown tells whether there is a next page; stores give 1,000 at most.
    int shown = Math.min(query.limit(), 999);
    List<TimelineEvent> actions =
        store
            .capability(History.class)
            .map(history -> Reading.of(() -> history.audit(query.end(), shown + 1)))
            .orElse(List.of())
            .stream()
            .map(TimelineEvent::of)
            .toList();
    return Audit.page(actions, shown);
  }

  /**
   * Removes what expired, as running engines do by themselves.
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
    return find(id.key())
        .orElseThrow(
            () ->
                new RefusedException(
                    Reason.NOT_FOUND, "There is no such operation, or it was forgotten."));
  }

  private Optional<Entry> find(OperationKey key) {
    try {
      return Reading.of(() -> store.find(key));
    } catch (RefusedCallException e) {
      throw new RefusedException(
          Reason.UNREADABLE,
          "The store holds something that this release cannot read: " + e.getMessage(),
          e);
    }
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
    private Function<OperationKey, Optional<String>> service = key -> Optional.empty();

    private Builder(Store store) {
      this.store = store;
    }

    /**
     * What people call the service that an operation goes to, for explanations; not known by
     * default.
     */
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
