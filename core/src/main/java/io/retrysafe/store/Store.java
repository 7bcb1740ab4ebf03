// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Remembers which operations ran and what they answered. Every method is one atomic step on one
 * key.
 *
 * <p><b>Facts, not judgement.</b> A store says who owns a key and what it holds. Mismatch, waiting,
 * recovery and everything HTTP are decided by the engine.
 *
 * <p><b>Time</b> is the store's: leases and retentions are durations, compared on its clock.
 *
 * <p><b>Failure.</b> A call that got no answer throws {@link NoAnswerException}, never returns
 * {@code false}; it may be repeated as it is, and meets its own token if it was applied. {@code
 * false} after such a repetition means "not yours now", not "nothing happened". A call that the
 * store refuses without any change throws {@link RefusedCallException}.
 *
 * <p><b>Deadlines.</b> A call ends within the {@linkplain CallDeadline#timeLeft time that its
 * caller has left}, in any case within the store's own time-out: answered, or with {@link
 * NoAnswerException}.
 *
 * <p><b>Threads.</b> Stores are safe for use by any number of threads and processes.
 *
 * <p><b>Capabilities.</b> What only some stores can do are further interfaces: {@link Steps},
 * {@link Sweepable}, {@link Browsable}, {@link Resolvable}, {@link History}, {@link Wakeups},
 * {@link Secrets}, {@link Metered}, {@link Queued}, {@link Immediate}. Callers ask for them with
 * {@link #capability}, never with {@code instanceof}: a store that wraps another one may have more
 * or fewer of them than its class says.
 *
 * <p>The rules, numbered, are in {@code docs/store-contract.md}.
 */
public interface Store {

  /**
   * Claims the key, or returns the entry that holds it. Granted if there is no entry, the entry
   * expired, the same token claimed it before and still runs, the entry is resumable, or it lapsed
   * and may be taken over; the last three only with an equal fingerprint. A token that was released
   * is not granted again: such a claim is a late message, and its caller is gone.
   */
  ClaimResult claim(Claim claim);

  /**
   * Settles the owner's entry: it keeps {@code outcome} for {@code retention}. True also when this
   * owner already settled it; then nothing changes. False if the entry is not the owner's, or no
   * longer.
   */
  boolean complete(Owner owner, Outcome outcome, Duration retention);

  /**
   * Releases the owner's entry. True also when this owner released it that way before. False if the
   * entry is settled or not the owner's. After a release the owner can neither renew nor claim
   * again, but may still complete until another claim takes over, unless the entry is absent by
   * then.
   */
  boolean release(Owner owner, Release how);

  /**
   * Restarts the leases of running entries and returns the owners that still own theirs. One atomic
   * step each: some may be renewed and others not.
   */
  Set<Owner> renew(Set<Owner> owners, Duration lease);

  /** Returns the entry of the key, without claiming it. */
  Optional<Entry> find(OperationKey key);

  /** Returns what this store promises and its limits. */
  Profile profile();

  /**
   * Returns the given capability of this store, or nothing if the store does not have it. It acts
   * on the entries of this store. The answer does not change while the store is open.
   *
   * <p>By default a store has the capabilities that its class implements. A store that wraps
   * another one overrides this: it passes on the capabilities that its own work does not affect,
   * wraps those that it does affect, and leaves out those that it does not know.
   */
  default <T> Optional<T> capability(Class<T> type) {
    return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
  }
}
