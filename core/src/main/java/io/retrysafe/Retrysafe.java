// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.internal.DurationText;
import io.retrysafe.store.AuditNote;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.Immediate;
import io.retrysafe.store.Metered;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Resolvable.Word;
import io.retrysafe.store.Store;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.Sweepable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
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

  private final Parts parts;
  private final Claims claims;
  private final Resolver resolver;
  private final Policy policy;
  private final Duration storeDeadline;
  private volatile boolean isClosed;

  private Retrysafe(Builder builder) {
    Seam seam = builder.seam == null ? new Threads() : builder.seam;
    Store store = builder.store;
    Recorder recorder =
        builder.history
            ? store
                .capability(History.class)
                .map(history -> new Recorder(history, seam, builder.name))
                .orElse(null)
            : null;
    Events events = new Events(builder.listeners, recorder);
    StoreHealth health =
        new StoreHealth(seam, events, store.profile().name(), builder.storeDeadline);
    Asking asking = new Asking(seam, builder.storeDeadline, health);
    Waiters waiters = new Waiters(builder.waiters, store);
    this.parts =
        new Parts(
            store,
            new AsyncStore(store, seam),
            new ThreadCaller(store, asking),
            seam,
            asking,
            events,
            new Heartbeat(seam, store, asking, events),
            new Background(store, asking, waiters, builder.pendingMemory),
            waiters);
    this.claims = new Claims(parts);
    this.resolver = new Resolver(parts, builder.name);
    this.policy = builder.policy;
    this.storeDeadline = builder.storeDeadline;
    check(policy);
    if (!builder.sweepEvery.isZero()) {
      store
          .capability(Sweepable.class)
          .ifPresent(
              sweepable -> new Sweeper(sweepable, asking, events, builder.sweepEvery).start());
    }
    for (Recoverer.Owned owned : builder.recovered) {
      Browsable browsable =
          store
              .capability(Browsable.class)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "the store "
                              + store.profile().name()
                              + " cannot list entries, so it cannot be recovered in the"
                              + " background"));
      check(owned.policy());
      new Recoverer(browsable, parts, owned).start();
    }
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
   * Decides whether the caller may run the operation. Blocks for the store's answer, and for a
   * running duplicate as long as the policy says; an interrupted wait is given up and changes
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
    PendingDecision decided = decide(key, fingerprint, policy, parts.thread(), mayWait);
    if (decided.isCancelled()) {
      return new Decision.InProgress(Claims.SOON);
    }
    try {
      if (!decided.isDone()) {
        parts.seam().await(decided);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (decided.cancel(false)) {
        return new Decision.InProgress(Claims.SOON);
      }
    }
    return Futures.result(decided);
  }

  /**
   * Decides as {@link #begin} does, without holding the event loop: not while the store is asked,
   * not while a duplicate waits, and not while a lookup takes its time. A store that is {@link
   * Immediate} is asked in the calling thread, a {@link Queued} one through its queue, and any
   * other one where blocking is allowed. The decision comes in the calling thread before this
   * returns, or in the loop.
   *
   * <p>Cancelling the future gives up the wait for a duplicate or a lookup and changes nothing. It
   * does not stop a claim that the store is deciding: then {@code cancel} returns false, and a
   * grant has to be used or released.
   */
  public CompletableFuture<Decision> beginAsync(
      OperationKey key, Fingerprint fingerprint, Policy policy, EventLoop loop) {
    return decide(key, fingerprint, policy, new LoopCaller(parts, loop), loop.mayWait());
  }

  private PendingDecision decide(
      OperationKey key,
      Fingerprint fingerprint,
      Policy policy,
      StoreCaller caller,
      BooleanSupplier mayWait) {
    checkOpen(policy);
    PendingDecision decision = new PendingDecision(caller, mayWait);
    // A token for every look: one look's echo must not release what the next one was granted.
    Supplier<CompletableFuture<Decision>> look =
        () -> claims.decide(claims.claim(key, fingerprint, policy), policy, caller, decision);
    if (!policy.waitUpTo().isZero()) {
      Waiter waiter = new Waiter(parts, key, policy.waitUpTo(), look, decision);
      if (parts.waiters().join(waiter)) {
        waiter.look();
        return decision;
      }
    }
    decision.follow(Futures.of(look));
    return decision;
  }

  /** Runs {@code work} once under the engine's own policy, or answers as it did. */
  public <T extends @Nullable Object, X extends Exception> T run(
      OperationKey key, Fingerprint fingerprint, Codec<T> codec, Work<T, X> work) throws X {
    return run(key, fingerprint, policy, codec, work);
  }

  /**
   * Runs {@code work} once, or answers as it did: the result of the first run is remembered and
   * given to every retry. An exception of the work reaches the first caller as it is, once it is
   * recorded; retries get an {@link OperationFailedException}.
   *
   * @throws InProgressException if somebody is running it
   * @throws MismatchException if the key belongs to another request
   * @throws OutcomeUnknownException if nobody knows whether it had its effect
   * @throws StoreUnavailableException if the store does not answer in time; it says whether the
   *     work ran
   */
  public <T extends @Nullable Object, X extends Exception> T run(
      OperationKey key, Fingerprint fingerprint, Policy policy, Codec<T> codec, Work<T, X> work)
      throws X {
    return new Running<>(key, codec, work).run(begin(key, fingerprint, policy));
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
  public Resolved resolve(Entry seen, Word word, AuditNote note) {
    return resolver.resolve(seen, word, note);
  }

  private static void checkText(String what, String text, int most) {
    UnicodeText.checkedWithoutNul(what, text);
    if (text.length() > most) {
      throw new IllegalArgumentException(
          what + " has at most " + most + " characters, this one has " + text.length());
    }
  }

  /** Returns the store's way to count what it holds; nothing if it cannot. */
  public Optional<Metered> metered() {
    return parts.store().capability(Metered.class);
  }

  /**
   * Returns whether the store has an entry for {@code key}. Claims nothing, and decides nothing: a
   * moment later it may be otherwise.
   *
   * @throws StoreUnavailableException if the store does not answer in time
   */
  public boolean isKnown(OperationKey key) {
    try {
      return parts.asking().ask(() -> parts.store().find(key)).isPresent();
    } catch (StoreException e) {
      throw new StoreUnavailableException(key, false, e);
    }
  }

  /** Closes as {@link #close(Duration)} does, and gives a silent store its deadline. */
  @Override
  public void close() {
    close(storeDeadline);
  }

  /**
   * Stops all background work: outcomes and releases that a silent store has not recorded yet are
   * repeated until it answers, for at most about {@code within}; waiting callers are told "in
   * progress", leases are no longer renewed. Operations that still run may be ended. The store
   * stays open.
   */
  public void close(Duration within) {
    isClosed = true;
    parts.waiters().close();
    parts.asking().deadlines().close();
    try {
      parts.background().finish(within);
      parts.events().finish(storeDeadline);
    } finally {
      parts.seam().stop();
    }
  }

  private void checkOpen(Policy policy) {
    if (isClosed) {
      throw new IllegalStateException("this engine is closed");
    }
    check(policy);
  }

  /**
   * Checks that the store can keep what {@code policy} promises, so that adapters can refuse it at
   * start: an unsettled entry must outlive a settled one, or a retry could run again what a slow
   * owner is about to settle.
   *
   * @throws IllegalArgumentException if it cannot
   */
  public void check(Policy policy) {
    Duration unsettled = parts.store().profile().unsettledRetention();
    if (policy.retention().compareTo(unsettled) > 0) {
      throw new IllegalArgumentException(
          "retention "
              + DurationText.text(policy.retention())
              + " is longer than the store keeps unsettled entries, "
              + DurationText.text(unsettled)
              + "; raise the store's unsettledRetention");
    }
  }

  /** Settings of an engine. */
  public static final class Builder {
    private final Store store;
    private final List<Listener> listeners = new ArrayList<>();
    private Policy policy = Policy.create();
    private Duration storeDeadline = Duration.ofSeconds(2);
    private Duration sweepEvery = Duration.ofMinutes(1);
    private final List<Recoverer.Owned> recovered = new ArrayList<>();
    private int waiters = 1000;
    private long pendingMemory = defaultPendingMemory();
    private String name = "engine-" + ProcessHandle.current().pid();
    private boolean history = true;
    private @Nullable Seam seam;

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

    /** For how long a silent store is asked again, 2 s by default. */
    public Builder storeDeadline(Duration storeDeadline) {
      this.storeDeadline = Policy.positive("storeDeadline", storeDeadline);
      return this;
    }

    /**
     * How many callers may wait for duplicates at once, 1,000 by default; others are told "in
     * progress" at once.
     */
    public Builder waiters(int waiters) {
      if (waiters < 0) {
        throw new IllegalArgumentException("waiters must not be negative, was " + waiters);
      }
      this.waiters = waiters;
      return this;
    }

    /**
     * How many bytes outcomes may take that a silent store has not recorded yet; 64 MiB by default,
     * or an eighth of the heap if that is less. Beyond it an outcome is recorded without its
     * answer, and an operation for which there is no room at all is unknown: its caller is told so,
     * and an event says it.
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
          sweepEvery.isZero() ? sweepEvery : Policy.positive("sweepEvery", sweepEvery);
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
      recovered.add(Recoverer.Owned.of(every, policy, isOwned));
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
     * Whether what happens to operations is written to the history of a store that keeps one, in
     * the background; yes by default. An operator's action always is.
     */
    public Builder history(boolean history) {
      this.history = history;
      return this;
    }

    /**
     * What histories call this process, {@code engine-} and its process id by default; at most 255
     * characters.
     */
    public Builder name(String name) {
      checkText("the name of an engine", name, LONGEST_NAME);
      this.name = name;
      return this;
    }

    Builder seam(Seam seam) {
      this.seam = seam;
      return this;
    }

    public Retrysafe build() {
      return new Retrysafe(this);
    }
  }
}
