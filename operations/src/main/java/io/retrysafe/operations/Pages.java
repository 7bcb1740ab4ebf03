// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
import io.retrysafe.operations.RefusedException.Reason;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;

/** Walks through a store's listings, never further than a bound. */
final class Pages {
  private static final int MOST_PAGES = 50;

  /** Settled entries come with their answers, so that pages of them are kept small. */
  private static final int SETTLED_PAGE = 50;

  private static final int UNSETTLED_PAGE = 500;

  private final Store store;

  Pages(Store store) {
    this.store = store;
  }

  /** A listing walks through one or two lists of the store; its cursor begins with which one. */
  Listing page(OperationQuery query) {
    Browsable browsable = browsable();
    List<OperationSummary> found = new ArrayList<>();
    List<UnreadableOperation> unreadable = new ArrayList<>();
    List<Optional<String>> endpoints = query.endpoints();
    int list = query.cursor().map(cursor -> list(cursor, endpoints.size())).orElse(0);
    Optional<String> at = query.cursor().map(cursor -> cursor.substring(1)).filter(Pages::isThere);
    for (int i = 0; i < MOST_PAGES && found.size() + unreadable.size() < query.limit(); i++) {
      int left = query.limit() - found.size() - unreadable.size();
      int size = Math.min(pageSize(query.states()), left);
      Browsable.Query next = query.toStore(endpoints.get(list), size, at);
      // Only the first may have a cursor that is wrong.
      boolean isAsked = i == 0 && at.isPresent();
      Browsable.Page page =
          isAsked ? browsable.browse(next) : Reading.of(() -> browsable.browse(next));
      page.entries().stream()
          .filter(Pages::isAskedFor)
          .map(OperationSummary::of)
          .filter(each -> query.fits(each.endpoint()))
          .forEach(found::add);
      page.unreadable().stream()
          .filter(each -> isAskedFor(each, query))
          .map(UnreadableOperation::of)
          .forEach(unreadable::add);
      at = page.next();
      if (at.isEmpty()) {
        list++;
      }
      if (list == endpoints.size()) {
        return new Listing(found, unreadable, Optional.empty());
      }
    }
    return new Listing(found, unreadable, Optional.of(list + at.orElse("")));
  }

  private static boolean isThere(String text) {
    return !text.isEmpty();
  }

  private static int list(String cursor, int lists) {
    int list = cursor.charAt(0) - '0';
    if (list < 0 || list >= lists) {
      throw new IllegalArgumentException("this cursor is not one of this listing: " + cursor);
    }
    return list;
  }

  /**
   * Counts, and returns what was counted of unsettled operations, oldest first.
   *
   * @param unreadable is told of every page how many entries on it cannot be read
   */
  List<OperationSummary> count(
      Set<State> states,
      int most,
      Map<State, Integer> counts,
      Set<State> atLeast,
      IntConsumer unreadable) {
    Browsable browsable = browsable();
    List<OperationSummary> counted = new ArrayList<>();
    int seen = 0;
    Optional<String> at = Optional.empty();
    for (int i = 0; i < MOST_PAGES && seen < most; i++) {
      Browsable.Query first = Browsable.Query.of(states, pageSize(states));
      Browsable.Query query = at.map(first::after).orElse(first);
      Browsable.Page page = Reading.of(() -> browsable.browse(query));
      for (Entry entry : page.entries()) {
        if (isAskedFor(entry)) {
          counts.merge(entry.state(), 1, Integer::sum);
          seen++;
          if (entry.outcome().isEmpty()) {
            counted.add(OperationSummary.of(entry));
          }
        }
      }
      unreadable.accept(page.unreadable().size());
      seen += page.unreadable().size();
      at = page.next();
      if (at.isEmpty()) {
        return counted;
      }
    }
    atLeast.addAll(states);
    return counted;
  }

  private static int pageSize(Set<State> states) {
    boolean hasAnswers = states.contains(State.COMPLETED) || states.contains(State.FAILED);
    return hasAnswers ? SETTLED_PAGE : UNSETTLED_PAGE;
  }

  private static boolean isAskedFor(Entry entry) {
    return !entry.key().scope().equals(Operations.SELF_TEST);
  }

  /** Where the operation cannot be told, it may be one that is asked for. */
  private static boolean isAskedFor(Browsable.Unreadable entry, OperationQuery query) {
    return entry
        .key()
        .map(OperationKey::scope)
        .map(scope -> !scope.equals(Operations.SELF_TEST) && query.fits(Endpoint.of(scope)))
        .orElse(true);
  }

  private Browsable browsable() {
    return store
        .capability(Browsable.class)
        .orElseThrow(
            () ->
                new RefusedException(
                    Reason.NOT_SUPPORTED, store.profile().name() + " cannot list operations."));
  }
}
