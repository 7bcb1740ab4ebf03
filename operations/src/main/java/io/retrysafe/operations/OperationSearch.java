// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
import io.retrysafe.operations.RefusedException.Reason;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;

/** Finds operations in a store, by their names or in its listings, never further than a bound. */
final class OperationSearch {
  private static final int MOST_PAGES = 50;
  private static final int MOST_SEARCHES = 5;

  /** Settled entries come with their answers, so that pages of them are kept small. */
  private static final int SETTLED_PAGE = 50;

  private static final int UNSETTLED_PAGE = 500;

  private final Store store;

  OperationSearch(Store store) {
    this.store = store;
  }

  /**
   * A part of what a query finds.
   *
   * @param found what the caller made of each entry
   * @param unreadable operations that are stored and cannot be read
   * @param next the cursor of the next part; empty on the last one
   */
  record Part<T>(List<T> found, List<UnreadableOperation> unreadable, Optional<String> next) {}

  /**
   * Returns one part of what {@code query} finds. Answers may be large, so no entry is kept longer
   * than {@code read} takes.
   */
  <T> Part<T> part(OperationQuery query, Function<Entry, T> read) {
    if (query.account().isPresent() && query.key().isPresent() && query.cursor().isEmpty()) {
      Part<T> named = named(query, read);
      if (!named.found().isEmpty() || !named.unreadable().isEmpty()) {
        return named;
      }
    }
    return browse(query, read);
  }

  /** Returns everything that {@code query} finds, up to its limit. */
  <T> List<T> all(OperationQuery query, Function<Entry, T> read) {
    List<T> found = new ArrayList<>();
    List<UnreadableOperation> unreadable = new ArrayList<>();
    Optional<String> cursor = query.cursor().or(() -> Optional.of(""));
    for (int i = 0; i < MOST_SEARCHES && cursor.isPresent() && found.size() < query.limit(); i++) {
      Part<T> part = part(query.from(cursor.get()), read);
      found.addAll(part.found());
      unreadable.addAll(part.unreadable());
      cursor = part.next();
    }
    if (found.isEmpty() && !unreadable.isEmpty()) {
      throw RefusedException.unreadable(unreadable.get(0).problem(), null);
    }
    if (found.isEmpty() && cursor.isPresent()) {
      throw new RefusedException(
          Reason.NOT_FINISHED,
          "The store holds too many operations to search all of them, and the key is not among"
              + " those searched. Name the account and the route as well.");
    }
    return found;
  }

  /** Returns the entry of {@code key}; nothing if there is none. */
  Optional<Entry> find(OperationKey key) {
    try {
      return Reading.of(() -> store.find(key));
    } catch (RefusedCallException e) {
      throw RefusedException.unreadable(e.getMessage(), e);
    }
  }

  /** Finds operations whose scope the query names, without a listing. */
  private <T> Part<T> named(OperationQuery query, Function<Entry, T> read) {
    String route = query.route().orElse("");
    List<T> found = new ArrayList<>();
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
                      .map(read)
                      .ifPresent(found::add);
                } catch (RefusedException e) {
                  if (e.reason() != Reason.UNREADABLE) {
                    throw e;
                  }
                  String name = new OperationId(key).toString();
                  unreadable.add(new UnreadableOperation(name, Optional.of(key), e.getMessage()));
                }
              });
    }
    return new Part<>(found, unreadable, Optional.empty());
  }

  /** Reads one or two listings of the store; the cursor begins with the number of the listing. */
  private <T> Part<T> browse(OperationQuery query, Function<Entry, T> read) {
    Browsable browsable = browsable();
    List<T> found = new ArrayList<>();
    List<UnreadableOperation> unreadable = new ArrayList<>();
    List<Optional<String>> endpoints = query.endpoints();
    int list = query.cursor().map(cursor -> list(cursor, endpoints.size())).orElse(0);
    Optional<String> at =
        query.cursor().map(cursor -> cursor.substring(1)).filter(OperationSearch::isThere);
    for (int i = 0; i < MOST_PAGES && found.size() + unreadable.size() < query.limit(); i++) {
      int left = query.limit() - found.size() - unreadable.size();
      int size = Math.min(pageSize(query.states()), left);
      Browsable.Query next = query.toStore(endpoints.get(list), size, at);
      // Only the first page can have a wrong cursor: the caller gave it.
      boolean isGiven = i == 0 && at.isPresent();
      Browsable.Page page =
          isGiven ? browsable.browse(next) : Reading.of(() -> browsable.browse(next));
      page.entries().stream()
          .filter(OperationSearch::isListed)
          .filter(entry -> query.fits(Endpoint.of(entry.key().scope())))
          .map(read)
          .forEach(found::add);
      page.unreadable().stream()
          .filter(each -> isListed(each, query))
          .map(UnreadableOperation::of)
          .forEach(unreadable::add);
      at = page.next();
      if (at.isEmpty()) {
        list++;
      }
      if (list == endpoints.size()) {
        return new Part<>(found, unreadable, Optional.empty());
      }
    }
    return new Part<>(found, unreadable, Optional.of(list + at.orElse("")));
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
   * Counts operations, and returns the unsettled ones among them, oldest first.
   *
   * @param unreadable takes the number of unreadable entries on every page
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
        if (isListed(entry)) {
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

  private static boolean isListed(Entry entry) {
    return !entry.key().scope().equals(Operations.SELF_TEST);
  }

  /** An entry whose operation cannot be read may be one that the query looks for. */
  private static boolean isListed(Browsable.Unreadable entry, OperationQuery query) {
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
