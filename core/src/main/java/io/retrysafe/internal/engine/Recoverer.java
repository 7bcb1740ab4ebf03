// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Event;
import io.retrysafe.Lookup;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Release;
import io.retrysafe.store.State;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.TakeOver;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Asks the lookup of a policy about operations whose outcome is unknown, without waiting for a
 * retry. Any number of instances may run: each operation is claimed by the ordinary takeover.
 *
 * <p><b>Ownership.</b> A store does not know the policy of an entry, so the application declares
 * it: every operation whose scope {@code isOwned} accepts runs under {@code policy}. Entries of
 * other scopes are neither claimed nor changed.
 *
 * <p><b>Result.</b> An effect that happened completes the operation. One that did not happen leaves
 * it for a retry to run. Otherwise the operation stays unknown. An operation that was being undone
 * is left for a retry, which goes on undoing.
 *
 * <p><b>Bounds.</b> Each entry is asked about in a thread of its own, a few at once, and for at
 * most {@link #LONGEST_LOOKUP}: whatever one lookup throws, or if it never returns, the others go
 * on. A lookup that ignores its interrupt keeps its thread; its operation is not asked about again
 * until it returns, and past {@link #MOST_HANGING} of them the round ends.
 */
final class Recoverer {
  static final Duration LONGEST_LOOKUP = Duration.ofSeconds(30);
  static final int MOST_HANGING = 32;
  private static final int PAGE = 100;
  private static final int AT_ONCE = 4;

  private final Browsable browsable;
  private final EngineContext context;
  private final Claims claims;
  private final RecoverySchedule schedule;
  private final Set<OperationKey> hanging = ConcurrentHashMap.newKeySet();

  Recoverer(Browsable browsable, EngineContext context, RecoverySchedule schedule) {
    this.browsable = browsable;
    this.context = context;
    this.claims = new Claims(context);
    this.schedule = schedule;
  }

  void start() {
    context.runtime().after(Pauses.spread(schedule.every(), context.runtime()), this::round);
  }

  private void round() {
    Round round = new Round();
    try {
      Optional<String> next = Optional.empty();
      do {
        Browsable.Query query = Browsable.Query.of(Set.of(State.UNKNOWN), PAGE);
        Browsable.Query here = next.map(query::after).orElse(query);
        Browsable.Page page = context.retries().once(() -> browsable.browse(here));
        page.entries().forEach(round::ask);
        next = page.next();
      } while (next.isPresent() && !round.isFull());
      round.finish();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      round.failed(e);
    } finally {
      round.report();
      start();
    }
  }

  /** The lookups of one round that are under way, and what went wrong. */
  private final class Round {
    private final List<Attempt> running = new ArrayList<>();
    private int failures;
    private @Nullable Throwable first;

    boolean isFull() {
      return hanging.size() >= MOST_HANGING;
    }

    void ask(Entry entry) {
      try {
        if (isFull() || hanging.contains(entry.key()) || !isDue(entry)) {
          return;
        }
        while (running.size() >= AT_ONCE) {
          await();
        }
        Attempt attempt = new Attempt(entry.key());
        running.add(attempt);
        context.runtime().aside(attempt);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Throwable e) {
        failed(e);
      }
    }

    void finish() throws InterruptedException {
      while (!running.isEmpty()) {
        await();
      }
    }

    /** Waits until one attempt has ended, or the oldest has taken too long and is given up. */
    private void await() throws InterruptedException {
      Attempt oldest = running.get(0);
      Duration left = LONGEST_LOOKUP.minusNanos(context.runtime().nanos() - oldest.start);
      if (!left.isNegative()) {
        context
            .runtime()
            .await(
                CompletableFuture.anyOf(
                    running.stream().map(each -> each.over).toArray(CompletableFuture[]::new)),
                left);
      }
      if (!oldest.over.isDone()
          && context.runtime().nanos() - oldest.start >= LONGEST_LOOKUP.toNanos()) {
        running.remove(oldest);
        oldest.giveUp();
      }
      running.removeIf(
          each -> {
            each.failure().ifPresent(this::failed);
            return each.over.isDone();
          });
    }

    void failed(Throwable failure) {
      if (failure instanceof StoreException) {
        // The outage is reported, once.
        return;
      }
      failures++;
      first = first == null ? failure : first;
    }

    void report() {
      if (isFull()) {
        System.getLogger("io.retrysafe")
            .log(
                Level.WARNING,
                "{0} lookups do not return; recovery goes on when one of them does. Give lookups"
                    + " a time-out",
                hanging.size());
      }
      if (first != null) {
        System.getLogger("io.retrysafe")
            .log(Level.WARNING, "recovering failed for " + failures + " operations, first", first);
      }
    }
  }

  private boolean isDue(Entry entry) {
    return schedule.isOwned().test(entry.key().scope())
        && Claims.hasBeenUnknown(entry, schedule.reconcile().after());
  }

  /** The recovery of one operation. The thread that completes the finding decides. */
  private final class Attempt implements Runnable {
    private final OperationKey key;
    private final long start = context.runtime().nanos();
    private final CompletableFuture<Lookup.Finding> finding = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    private volatile @Nullable Thread looking;
    private volatile @Nullable Throwable failure;

    Attempt(OperationKey key) {
      this.key = key;
    }

    Optional<Throwable> failure() {
      return over.isDone() ? Optional.ofNullable(failure) : Optional.empty();
    }

    @Override
    public void run() {
      try {
        Optional<ClaimedOperation> claimed = claim();
        if (claimed.isEmpty()) {
          over.complete(null);
          return;
        }
        ClaimedOperation operation = claimed.get();
        CompletableFuture<@Nullable Void> unused =
            finding
                .thenAccept(found -> decide(operation, found))
                .whenComplete((nothing, failed) -> over(failed));
        if (!finding.isDone()) {
          lookUp(operation);
        }
      } catch (Throwable e) {
        over(e);
      }
    }

    private void over(@Nullable Throwable failed) {
      if (failed != null) {
        failure = failed;
      }
      over.complete(null);
    }

    private void lookUp(ClaimedOperation operation) {
      hanging.add(key);
      looking = Thread.currentThread();
      CompletableFuture<Lookup.Finding> answer;
      try {
        answer = claims.find(operation, schedule.reconcile().lookup());
      } catch (Throwable e) {
        failure = e;
        answer = CompletableFuture.completedFuture(new Lookup.CannotTell());
      } finally {
        looking = null;
        hanging.remove(key);
      }
      CompletableFuture<Lookup.Finding> unused =
          answer.whenComplete(
              (found, failed) -> {
                if (failed != null) {
                  failure = failed;
                }
                finding.complete(found == null ? new Lookup.CannotTell() : found);
              });
    }

    /** Leaves the operation unknown, because its lookup took too long. */
    void giveUp() {
      if (finding.complete(new Lookup.CannotTell())) {
        context.events().emit(Event.Kind.RECONCILED, key, 0, "no answer within " + LONGEST_LOOKUP);
        Thread thread = looking;
        if (thread != null) {
          thread.interrupt();
        }
      }
    }

    /**
     * Claims the operation, if it has been unknown for long enough on the store's clock. A list may
     * be out of date, so the entry is read again just before. A grant in between counts as an
     * attempt, and an owner that came back renewed for a whole lease, so a grant within a lease of
     * the look is of the entry that was seen.
     */
    private Optional<ClaimedOperation> claim() {
      long look = context.runtime().nanos();
      Optional<Entry> seen =
          context.retries().ask(() -> context.store().find(key)).filter(Recoverer.this::isDue);
      if (seen.isEmpty()) {
        return Optional.empty();
      }
      Claim claim =
          new Claim(
              key,
              seen.get().fingerprint(),
              context.runtime().token(),
              schedule.policy().lease(),
              TakeOver.ALWAYS);
      Claims.Answer answer = claims.ask(claim);
      if (!(answer.result() instanceof ClaimResult.Granted grant)) {
        return Optional.empty();
      }
      ClaimedOperation operation =
          claims.open(claim, schedule.policy(), grant, answer.strayClaim());
      if (grant.previous() != PreviousPhase.UNKNOWN) {
        operation.release();
        return Optional.empty();
      }
      long between = context.runtime().nanos() - look;
      if (grant.attempt() != seen.get().attempt() + 1
          || between >= schedule.policy().lease().toNanos()) {
        operation.unknown();
        return Optional.empty();
      }
      if (operation.steps().isFailed()) {
        operation.leave(Release.RESUMABLE);
        return Optional.empty();
      }
      return Optional.of(operation);
    }

    private static void decide(ClaimedOperation operation, Lookup.Finding finding) {
      if (finding instanceof Lookup.Happened happened) {
        operation.complete(happened.outcome());
      } else {
        operation.leave(
            finding instanceof Lookup.DidNotHappen ? Release.RESUMABLE : Release.UNKNOWN);
      }
    }
  }
}
