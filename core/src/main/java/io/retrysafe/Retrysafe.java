// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.internal.DurationChecks;
import io.retrysafe.internal.UnicodeText;
import io.retrysafe.internal.engine.Engine;
import io.retrysafe.internal.engine.EngineRuntime;
import io.retrysafe.internal.engine.EngineSettings;
import io.retrysafe.internal.engine.RecoverySchedule;
import io.retrysafe.internal.engine.Threads;
import io.retrysafe.store.AuditNote;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Immediate;
import io.retrysafe.store.Metered;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Store;
import io.retrysafe.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs operations so that each has one effect and one answer, however often it is retried. One
 * engine serves any number of threads; any number of engines, in any number of processes, may share
 * a store.
 *
 * <p>{@link #run} is for blocking work. Adapters use {@link #begin} and end the {@link Operation}
 * that it grants: no thread is held in between. Those without a thread to spare use {@link
 * #beginAsync}.
 */
public final class Retrysafe implements AutoCloseable {
  private static final int LONGEST_NAME = 255;

  private final Engine engine;
  private final Policy policy;

  private Retrysafe(Builder builder) {
    this.engine = new Engine(builder.settings());
    this.policy = builder.policy;
  }

  /** Returns an engine on {@code store} with all defaults. */
  public static Retrysafe create(Store store) {
    return builder(store).build();
  }

  /** Returns a builder of an engine on {@code store}. */
  public static Builder builder(Store store) {
    return new Builder(store);
  }

  /**
   * Declares an operation of the application under the engine's own policy. Declare it once and
   * keep it in a field.
   *
   * @param name what is done, such as {@code pay}: the scope of a call is its account and this name
   * @param codec how the result is remembered
   */
  public <T extends @Nullable Object> DeclaredOperation<T> operation(String name, Codec<T> codec) {
    return new DeclaredOperation<>(this, name, codec, policy);
  }

  /** Decides whether the caller may run the operation, under the engine's own policy. */
  public Decision begin(OperationKey key, Fingerprint fingerprint) {
    return begin(key, fingerprint, policy);
  }

  /**
   * Decides whether the caller may run the operation. Blocks until the store answers, and waits for
   * a running duplicate as long as the policy allows. An interrupt ends the wait and changes
   * nothing.
   *
   * @throws StoreUnavailableException if the store does not answer in time; the work did not run
   */
  public Decision begin(OperationKey key, Fingerprint fingerprint, Policy policy) {
    return begin(key, fingerprint, policy, () -> true);
  }

  /**
   * Decides as {@link #begin(OperationKey, Fingerprint, Policy)} does.
   *
   * @param mayWait asked once before the caller waits for a running duplicate or for a lookup; if
   *     it says no, the operation is in progress
   */
  public Decision begin(
      OperationKey key, Fingerprint fingerprint, Policy policy, BooleanSupplier mayWait) {
    return engine.begin(key, fingerprint, policy, mayWait);
  }

  /**
   * Decides as {@link #begin} does, without blocking the event loop. The engine calls an {@link
   * Immediate} store in the calling thread, a {@link Queued} one through its queue, and any other
   * one where blocking is allowed. The future completes in the calling thread before this returns,
   * or in the loop.
   *
   * <p>Cancelling the future gives up the wait for a duplicate or a lookup and changes nothing. It
   * does not stop a claim that the store is deciding: then {@code cancel} returns false, and a
   * grant has to be used or released.
   */
  public CompletableFuture<Decision> beginAsync(
      OperationKey key, Fingerprint fingerprint, Policy policy, EventLoop loop) {
    return engine.beginAsync(key, fingerprint, policy, loop);
  }

  /** Runs {@code work} once under the engine's own policy, or returns what it returned before. */
  public <T extends @Nullable Object, X extends Exception> T run(
      OperationKey key, Fingerprint fingerprint, Codec<T> codec, Work<T, X> work) throws X {
    return run(key, fingerprint, policy, codec, work);
  }

  /**
   * Runs {@code work} once and remembers its result; every retry gets the remembered result. If the
   * work throws, the failure is recorded and the first caller gets the exception itself; retries
   * get an {@link OperationFailedException}.
   *
   * @throws InProgressException if another caller is running it
   * @throws MismatchException if the key belongs to another request
   * @throws OutcomeUnknownException if an earlier run was interrupted and may have had its effect
   * @throws StoreUnavailableException if the store does not answer in time; it says whether the
   *     work ran
   */
  public <T extends @Nullable Object, X extends Exception> T run(
      OperationKey key, Fingerprint fingerprint, Policy policy, Codec<T> codec, Work<T, X> work)
      throws X {
    return engine.run(key, fingerprint, policy, codec, work);
  }

  /** Runs {@code action} once under the engine's own policy; retries find it done. */
  public <X extends Exception> void run(OperationKey key, Fingerprint fingerprint, Action<X> action)
      throws X {
    run(key, fingerprint, policy, action);
  }

  /**
   * Runs {@code action} once; retries find it done. Throws what {@link #run} for work with a result
   * throws.
   */
  public <X extends Exception> void run(
      OperationKey key, Fingerprint fingerprint, Policy policy, Action<X> action) throws X {
    Bytes unused =
        run(
            key,
            fingerprint,
            policy,
            Codec.bytes(),
            operation -> {
              action.run(operation);
              return Bytes.EMPTY;
            });
  }

  /**
   * Applies an operator's action to the operation that {@code seen} shows, unless the operation has
   * changed since. If the store keeps an audit, this writes a record before it changes anything and
   * another with the result: before it returns, or in the background if the store is silent by
   * then. Wakes callers that wait for the operation.
   *
   * @throws StoreException if the store does not answer in time or rejects the call; after a {@link
   *     io.retrysafe.store.NoAnswerException} the action may have been applied
   * @throws IllegalStateException if the store supports no changes by operators
   */
  public Resolved resolve(Entry seen, Resolution resolution, AuditNote note) {
    return engine.resolve(seen, resolution, note);
  }

  /** Returns the store's capability to count its entries; empty if it has none. */
  public Optional<Metered> metered() {
    return engine.store().capability(Metered.class);
  }

  /**
   * Returns whether the store has an entry for {@code key}. Claims nothing; the answer may be
   * outdated a moment later.
   *
   * @throws StoreUnavailableException if the store does not answer in time
   */
  public boolean isKnown(OperationKey key) {
    return engine.isKnown(key);
  }

  /** Closes as {@link #close(Duration)} does, within the store deadline. */
  @Override
  public void close() {
    engine.close();
  }

  /**
   * Stops all background work. Outcomes and releases that the store has not recorded yet are
   * repeated until it answers, for at most about {@code within}; waiting callers get "in progress",
   * and leases are no longer renewed. Operations that still run may be ended. The store stays open.
   */
  public void close(Duration within) {
    engine.close(within);
  }

  /**
   * Checks that the store can keep what {@code policy} promises, so that adapters can refuse it at
   * start: an unsettled entry must outlive a settled one, or a retry could run again what a slow
   * owner is about to settle.
   *
   * @throws IllegalArgumentException if it cannot
   */
  public void check(Policy policy) {
    engine.check(policy);
  }

  /** Settings of an engine. */
  public static final class Builder {
    private final Store store;
    private final List<Listener> listeners = new ArrayList<>();
    private Policy policy = Policy.create();
    private Duration storeDeadline = Duration.ofSeconds(2);
    private Duration sweepEvery = Duration.ofMinutes(1);
    private final List<RecoverySchedule> recoveries = new ArrayList<>();
    private int waiters = 1000;
    private long pendingMemory = defaultPendingMemory();
    private String name = "engine-" + ProcessHandle.current().pid();
    private boolean history = true;
    private @Nullable EngineRuntime runtime;

    private Builder(Store store) {
      this.store = store;
    }

    /** The policy of calls that bring none; all defaults by default. */
    public Builder policy(Policy policy) {
      this.policy = policy;
      return this;
    }

    /** Adds a listener. */
    public Builder listener(Listener listener) {
      listeners.add(listener);
      return this;
    }

    /** How long the engine repeats calls that a store does not answer, 2 s by default. */
    public Builder storeDeadline(Duration storeDeadline) {
      this.storeDeadline = DurationChecks.positive("storeDeadline", storeDeadline);
      return this;
    }

    /**
     * How many callers may wait for duplicates at once, 1,000 by default; others get "in progress"
     * at once.
     */
    public Builder waiters(int waiters) {
      if (waiters < 0) {
        throw new IllegalArgumentException("waiters must not be negative, was " + waiters);
      }
      this.waiters = waiters;
      return this;
    }

    /**
     * How many bytes of outcomes may wait for a store that does not answer; 64 MiB by default, or
     * an eighth of the heap if that is less. Beyond it an outcome is recorded without its answer.
     * If there is no room even for that, the operation is unknown: its caller learns so, and an
     * event reports it.
     */
    public Builder pendingMemory(long pendingMemory) {
      if (pendingMemory < 0) {
        throw new IllegalArgumentException(
            "pendingMemory must not be negative, was " + pendingMemory);
      }
      this.pendingMemory = pendingMemory;
      return this;
    }

    private static long defaultPendingMemory() {
      return Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);
    }

    /**
     * How often expired entries are removed from stores that need it, every minute by default; zero
     * for never.
     */
    public Builder sweepEvery(Duration sweepEvery) {
      this.sweepEvery =
          sweepEvery.isZero() ? sweepEvery : DurationChecks.positive("sweepEvery", sweepEvery);
      return this;
    }

    /**
     * Asks the lookup of {@code policy} about unknown operations in the background; off by default.
     * May be called several times, for scopes under different policies.
     *
     * <p>A store may be shared with other applications, and it does not know under which policy an
     * operation runs. So {@code isOwned} has to accept only scopes whose operations all run under
     * {@code policy}: a lookup that says "did not happen" frees them for a retry. Entries of other
     * scopes are neither claimed nor changed. The {@code after} of the policy's recovery holds. A
     * lookup that takes longer than 30 s is interrupted and counts as "cannot tell".
     *
     * @param policy the policy that these operations run under; its recovery must be {@link
     *     Recovery#reconcile(Lookup)}
     * @param isOwned which scopes are this application's to recover
     */
    public Builder recoverEvery(Duration every, Policy policy, Predicate<Scope> isOwned) {
      recoveries.add(RecoverySchedule.of(every, policy, isOwned));
      return this;
    }

    /**
     * Recovers as {@link #recoverEvery(Duration, Policy, Predicate)} does, the operations of these
     * {@linkplain Scope#endpoint endpoints} of all accounts.
     */
    public Builder recoverEvery(Duration every, Policy policy, Set<String> endpoints) {
      if (endpoints.isEmpty()) {
        throw new IllegalArgumentException(
            "recoverEvery needs the endpoints whose operations it may recover, there are none");
      }
      Set<String> owned = Set.copyOf(endpoints);
      return recoverEvery(every, policy, scope -> owned.contains(scope.endpoint()));
    }

    /**
     * Whether the engine writes events to the store's history, in the background; yes by default.
     * Operators' actions are always written.
     */
    public Builder history(boolean history) {
      this.history = history;
      return this;
    }

    /**
     * The name of this process in histories, {@code engine-} and its process id by default; at most
     * 255 characters.
     */
    public Builder name(String name) {
      this.name = UnicodeText.checkedWithoutNul("the name of an engine", name);
      if (name.length() > LONGEST_NAME) {
        throw new IllegalArgumentException(
            "the name of an engine has at most "
                + LONGEST_NAME
                + " characters, this one has "
                + name.length());
      }
      return this;
    }

    Builder runtime(EngineRuntime runtime) {
      this.runtime = runtime;
      return this;
    }

    private EngineSettings settings() {
      return new EngineSettings(
          store,
          runtime == null ? new Threads() : runtime,
          name,
          policy,
          listeners,
          storeDeadline,
          sweepEvery,
          recoveries,
          waiters,
          pendingMemory,
          history);
    }

    public Retrysafe build() {
      return new Retrysafe(this);
    }
  }
}
