// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Writes that the store has not confirmed yet; they are repeated until it answers. Each kind has
 * its own bound and its own threads, because each loss costs something else. Without its outcome a
 * finished operation becomes unknown, without its release an unfinished one does, and a claim that
 * is not undone blocks a key that no attempt ran.
 */
final class PendingWrites {
  /** What a pending call takes apart from its outcome, about. */
  static final int OVERHEAD = 1024;

  private static final long MOST_RELEASES = 100_000;
  private static final long MOST_UNDO = 100_000;

  /** How many claims are undone by one call; most of them never came into being. */
  private static final int UNDO_AT_ONCE = 100;

  /** How often it is looked whether the last calls were answered. */
  private static final Duration FINISHED_YET = Duration.ofMillis(50);

  private final EngineRuntime runtime;
  private final Store store;
  private final StoreRetries retries;
  private final Waiters waiters;
  private final Backlog<Call> outcomes;
  private final Backlog<Call> releases;
  private final Backlog<Undo> undo;

  /**
   * @param mostBytes how much memory outcomes may take that are not recorded yet
   */
  PendingWrites(Store store, StoreRetries retries, Waiters waiters, long mostBytes) {
    this.runtime = retries.runtime();
    this.store = store;
    this.retries = retries;
    this.waiters = waiters;
    this.outcomes = new Backlog<>(runtime, EngineRuntime.Lane.OUTCOMES, mostBytes, 1, this::record);
    this.releases =
        new Backlog<>(runtime, EngineRuntime.Lane.RELEASES, MOST_RELEASES, 1, this::release);
    this.undo =
        new Backlog<>(runtime, EngineRuntime.Lane.UNDO, MOST_UNDO, UNDO_AT_ONCE, this::undo);
    retries.health().onBack(this::wake);
  }

  /**
   * Repeats {@code call}, which records an outcome of {@code bytes}, until the store answers, and
   * then passes the answer on; none if it was never answered.
   *
   * @return whether there is room for it; if not, nothing is done
   */
  boolean record(long bytes, BooleanSupplier call, Consumer<Optional<Boolean>> answered) {
    return outcomes.add(
        new Call(CallKind.COMPLETION, OVERHEAD + bytes, call, answered), Duration.ZERO);
  }

  /** Repeats {@code call}, which records an operator's action, until the store answers. */
  void audit(BooleanSupplier call) {
    // There are few operators, and what they do is never dropped.
    outcomes.addAnyway(new Call(CallKind.OTHER, OVERHEAD, call, answer -> {}));
  }

  /**
   * Repeats {@code call}, which releases an operation, until the store answers, and then passes the
   * answer on; none if it was never answered.
   *
   * @return whether there is room for it; if not, nothing is done
   */
  boolean release(BooleanSupplier call, Consumer<Optional<Boolean>> answered) {
    return releases.add(new Call(CallKind.OTHER, 1, call, answered), Duration.ZERO);
  }

  /**
   * Undoes an unused claim: when none of its calls can be applied any more, and before that if
   * {@code atOnce}.
   *
   * @param heard when the last call was given up
   * @return whether there is room for it; if not, nothing is done
   */
  boolean undo(Claim claim, long heard, boolean atOnce) {
    long last = heard + store.profile().callTimeout().toNanos();
    return undo.add(new Undo(claim, last), atOnce ? Duration.ZERO : until(last));
  }

  /**
   * Tries everything that is pending once more. Then waits until the store has answered all
   * outcomes and releases, which their lanes go on with. Takes at most about {@code time}.
   */
  void finish(Duration time) {
    long end = runtime.nanos() + time.toNanos();
    outcomes.finish(call -> within(end, call));
    releases.finish(call -> within(end, call));
    undo.finish(call -> within(end, call));
    while (!(outcomes.isEmpty() && releases.isEmpty()) && isPaused(end)) {
      // Both are looked at again.
    }
  }

  private void within(long end, Runnable call) {
    Duration left = until(end);
    if (!left.isZero()) {
      CallDeadline.within(
          left,
          runtime::nanos,
          () -> {
            call.run();
            return true;
          });
    }
  }

  /** Pauses; returns false, at once, if the time is over before the pause is. */
  private boolean isPaused(long end) {
    if (FINISHED_YET.compareTo(until(end)) >= 0) {
      return false;
    }
    try {
      runtime.pause(FINISHED_YET);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void wake() {
    outcomes.wake();
    releases.wake();
    undo.wake();
  }

  private Duration until(long nanos) {
    return Duration.ofNanos(Math.max(0, nanos - runtime.nanos()));
  }

  private static final class Call extends Backlog.Item {
    final CallKind kind;
    final BooleanSupplier call;
    final Consumer<Optional<Boolean>> answered;

    Call(CallKind kind, long weight, BooleanSupplier call, Consumer<Optional<Boolean>> answered) {
      super(weight);
      this.kind = kind;
      this.call = call;
      this.answered = answered;
    }

    @Override
    void expire() {
      answered.accept(Optional.empty());
    }
  }

  private List<Call> record(List<Call> calls) {
    return call(outcomes, calls);
  }

  private List<Call> release(List<Call> calls) {
    return call(releases, calls);
  }

  private List<Call> call(Backlog<Call> backlog, List<Call> calls) {
    List<Call> left = new ArrayList<>();
    for (Call call : calls) {
      Optional<Boolean> answer = left.isEmpty() ? answer(call.kind, call.call) : Optional.empty();
      if (answer.isEmpty()) {
        left.add(call);
      } else if (backlog.over(call)) {
        call.answered.accept(answer);
      }
    }
    return left;
  }

  private Optional<Boolean> answer(CallKind kind, BooleanSupplier call) {
    try {
      return Optional.of(retries.once(kind, call::getAsBoolean));
    } catch (Throwable e) {
      return Optional.empty();
    }
  }

  private static final class Undo extends Backlog.Item {
    final Claim claim;

    /** When no question for it can be applied any more. */
    final long last;

    Undo(Claim claim, long last) {
      super(1);
      this.claim = claim;
      this.last = last;
    }

    @Override
    void expire() {}
  }

  /**
   * Releases claims that run, which renewing tells: what an owner left, unknown perhaps, must not
   * be freed.
   */
  private List<Undo> undo(List<Undo> undos) {
    Set<Owner> owners = new HashSet<>();
    Duration lease = undos.get(0).claim.lease();
    for (Undo each : undos) {
      owners.add(each.claim.owner());
      lease = each.claim.lease().compareTo(lease) < 0 ? each.claim.lease() : lease;
    }
    Duration shortest = lease;
    long asked = runtime.nanos();
    Set<Owner> running = retries.once(() -> store.renew(owners, shortest));
    List<Undo> left = new ArrayList<>();
    for (Undo each : undos) {
      Owner owner = each.claim.owner();
      boolean isReleased =
          !running.contains(owner)
              || (left.isEmpty()
                  && answer(CallKind.OTHER, () -> store.release(owner, Release.FREE)).isPresent());
      if (isReleased) {
        undone(each, asked);
      } else {
        left.add(each);
      }
    }
    return left;
  }

  /**
   * Ends an undo that the store answered, unless a late claim could still have landed after {@code
   * asked}: the time of the answer says nothing, because the process may have paused in between.
   */
  private void undone(Undo each, long asked) {
    waiters.wake(each.claim.key());
    if (asked - each.last >= 0) {
      undo.over(each);
    } else {
      undo.later(each, until(each.last));
    }
  }
}
