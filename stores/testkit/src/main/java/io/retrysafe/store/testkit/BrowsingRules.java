// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Browsable.Unreadable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.State;
import io.retrysafe.testkit.Rule;
import io.retrysafe.testkit.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Lists for people. They may be late, so that each expectation gets some seconds to come true. */
abstract class BrowsingRules extends Rules {
  private static final Set<State> ALL = EnumSet.allOf(State.class);
  private static final int ENTRIES = 23;

  private final Browsable browser;

  BrowsingRules(StoreFixture fixture) {
    super(fixture);
    this.browser = offered(second, Browsable.class);
  }

  private Query mine(Set<State> states) {
    return of(states, Optional.empty(), Optional.empty(), Duration.ZERO, 100);
  }

  private Query of(
      Set<State> states,
      Optional<String> endpoint,
      Optional<String> key,
      Duration olderThan,
      int limit) {
    return new Query(
        states, Optional.of(scope.account()), endpoint, key, olderThan, limit, Optional.empty());
  }

  private List<OperationKey> list(Query query) {
    List<OperationKey> listed = new ArrayList<>();
    Query next = query;
    for (int pages = 0; pages < 1000; pages++) {
      Page page = browser.browse(next);
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(query.limit());
      page.entries().forEach(entry -> listed.add(entry.key()));
      if (page.next().isEmpty()) {
        return listed;
      }
      next = query.after(page.next().get());
    }
    throw new AssertionError("browsing never came to an end");
  }

  private static void eventually(Runnable expectation) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
    while (true) {
      try {
        expectation.run();
        return;
      } catch (AssertionError e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      }
    }
  }

  @Rule("C-82")
  void pagesHaveNeitherGapsNorRepetitions() {
    List<OperationKey> keys = new ArrayList<>();
    for (int i = 0; i < ENTRIES; i++) {
      keys.add((i % 3 == 0 ? settled() : running()).key());
    }

    for (int limit : new int[] {1, 7, ENTRIES, 1000}) {
      eventually(
          () ->
              assertThat(list(of(ALL, Optional.empty(), Optional.empty(), Duration.ZERO, limit)))
                  .containsExactlyInAnyOrderElementsOf(keys));
    }
  }

  @Rule("C-83")
  void entriesAreListedByTheStateThatPeopleSee() {
    Claim lapsed = lapsed();
    Claim running = running();
    Claim resumable = released(LeaveAs.RESUMABLE);
    Claim unknown = released(LeaveAs.UNKNOWN);
    Claim completed = settled();
    Claim failed = running();
    assertThat(store.complete(failed.owner(), OTHER_OUTCOME, RETENTION)).isTrue();

    assertListed(mine(Set.of(State.IN_PROGRESS)), running);
    assertListed(mine(Set.of(State.UNKNOWN)), lapsed, unknown);
    assertListed(mine(Set.of(State.RESUMABLE)), resumable);
    assertListed(mine(Set.of(State.COMPLETED)), completed);
    assertListed(mine(Set.of(State.FAILED)), failed);
    assertListed(mine(Set.of(State.FAILED, State.RESUMABLE)), failed, resumable);
  }

  private void assertListed(Query query, Claim... owners) {
    eventually(
        () ->
            assertThat(list(query))
                .containsExactlyInAnyOrder(
                    List.of(owners).stream().map(Claim::key).toArray(OperationKey[]::new)));
  }

  @Rule("C-84")
  void entriesAreListedByAccountEndpointKeyAndAge() {
    Claim old = running();
    fixture.advance(Duration.ofHours(3));
    Claim young = settled();
    Claim elsewhere =
        claim(OperationKey.of(Scope.of(scope.account(), "POST", "/refunds"), old.key().value()));
    grant(elsewhere);
    grant(claim(OperationKey.of(Scope.of("not-" + scope.account(), "x"), old.key().value())));
    Optional<String> any = Optional.empty();
    Optional<String> charges = Optional.of("POST /charges");
    Optional<String> key = Optional.of(old.key().value());

    assertListed(mine(ALL), old, young, elsewhere);
    assertListed(of(ALL, charges, any, Duration.ZERO, 100), old, young);
    assertListed(of(ALL, any, key, Duration.ZERO, 100), old, elsewhere);
    assertListed(of(ALL, charges, key, Duration.ZERO, 100), old);
    assertListed(of(ALL, any, any, Duration.ofHours(2), 100), old);
  }

  @Rule("C-85")
  void absentEntriesAreNotListed() {
    settled();
    released(LeaveAs.FREE);
    fixture.advance(RETENTION.plus(MARGIN));
    Claim live = running();

    assertListed(mine(ALL), live);
  }

  @Rule("C-108")
  void anEntryThatCannotBeReadDoesNotEndAListing() {
    Claim settled = settled();
    Claim running = running();
    Claim brokenSettled = settled();
    Claim brokenRunning = running();
    for (Claim broken : List.of(brokenSettled, brokenRunning)) {
      if (!fixture.damage(broken.key())) {
        abort(Verdict.NOT_APPLICABLE + ": what is stored cannot be damaged");
      }
    }

    eventually(
        () -> {
          for (Set<State> states : List.of(ALL, Set.of(State.IN_PROGRESS))) {
            for (int limit : new int[] {1, 2, 100}) {
              assertOthersListed(states, limit, states.size() == 1 ? 1 : 2);
            }
          }
        });
    assertThat(list(mine(ALL))).contains(settled.key(), running.key());
  }

  private void assertOthersListed(Set<State> states, int limit, int broken) {
    List<Unreadable> unreadable = new ArrayList<>();
    List<Entry> entries = new ArrayList<>();
    Query query = of(states, Optional.empty(), Optional.empty(), Duration.ZERO, limit);
    Optional<String> next = Optional.empty();
    do {
      Page page = browser.browse(next.map(query::after).orElse(query));
      assertThat(page.entries().size() + page.unreadable().size()).isLessThanOrEqualTo(limit);
      entries.addAll(page.entries());
      unreadable.addAll(page.unreadable());
      next = page.next();
    } while (next.isPresent());
    assertThat(entries).hasSize(broken);
    assertThat(unreadable).hasSizeGreaterThanOrEqualTo(broken).doesNotHaveDuplicates();
    assertThat(unreadable)
        .allSatisfy(
            each -> {
              assertThat(each.name()).isNotBlank();
              assertThat(each.problem()).isNotBlank();
            });
  }

  @Rule("C-86")
  void aListedEntryIsWholeLikeAFoundOne() {
    Claim settled = settled();
    eventually(
        () -> {
          List<Entry> listed = browser.browse(mine(ALL)).entries();
          assertThat(listed).hasSize(1);
          assertThat(listed.get(0).outcome()).contains(OUTCOME);
          assertUnchanged(listed.get(0));
        });
    assertThat(entry(settled.key()).token()).isEqualTo(settled.token());
  }
}
