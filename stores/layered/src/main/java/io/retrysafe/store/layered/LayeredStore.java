// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.internal.SteadyClock;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.Metered;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Wakeups;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store of record with copies of its answers nearer by, for retries that come again and again.
 *
 * <p><b>Layout.</b> The record holds everything. The near side holds settled entries that some
 * retry read from the record, sealed where others can write there too.
 *
 * <p><b>Atomic step.</b> The record's. A claim that finds a copy is answered from it; every other
 * claim, and every other call, goes to the record. A copy that is missing, late, garbled or forged
 * is as good as none.
 *
 * <p><b>Capabilities.</b> The record's, except {@code Immediate}: a copy may have to be waited for.
 *
 * <p><b>Expiry.</b> A copy lives at most {@code nearTtl} and never longer than its entry. A settled
 * entry changes in one way only: an operator has it forgotten. That replaces the copy of this near
 * side at once; copies inside other processes live up to {@code nearTtl} more.
 */
public final class LayeredStore implements Store, AutoCloseable {
  private static final int SHORTEST_SECRET = 16;

  /** "For ever", of which times can still be counted. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** The capabilities of a record that copies of its answers do not affect. */
  private static final Set<Class<?>> PASSED_ON =
      Set.of(
          Steps.class,
          Sweepable.class,
          Browsable.class,
          History.class,
          Secrets.class,
          Metered.class,
          Wakeups.class);

  private final Store record;
  private final Optional<Resolvable> resolvable;
  private final Optional<Queued> queue;
  private final Near near;
  private final Profile profile;

  private LayeredStore(Builder builder) {
    this.record = builder.record;
    this.near = new Near(builder.copies, builder.seal(), builder.nearTtl, builder.clock);
    this.resolvable = record.capability(Resolvable.class).map(this::forgetting);
    this.queue = record.capability(Queued.class).map(behind -> new LayeredQueue(behind, near));
    this.profile = profile(record.profile(), builder.nearTtl);
  }

  /** Returns a store with all defaults, on copies that nobody else can write to. */
  public static LayeredStore create(Store record, NearCopies copies) {
    return builder(record, copies).build();
  }

  /**
   * Returns a builder with all defaults.
   *
   * @param record what decides and keeps everything; it stays open
   * @param copies where copies are kept; closed with the store
   */
  public static Builder builder(Store record, NearCopies copies) {
    return new Builder(record, copies);
  }

  private static Profile profile(Profile record, Duration nearTtl) {
    List<String> conditions = new ArrayList<>(record.conditions());
    long seconds = nearTtl.plusMillis(999).toSeconds();
    conditions.add(
        "a forgotten answer may be replayed by other processes for up to " + seconds + " s");
    return new Profile(
        "layered " + record.name(),
        record.promise(),
        conditions,
        record.largestOutcome(),
        record.unsettledRetention(),
        record.callTimeout());
  }

  @Override
  public ClaimResult claim(Claim claim) {
    Optional<Entry> copy = near.find(claim.key());
    if (copy.isPresent()) {
      return new ClaimResult.Held(copy.get());
    }
    Instant asked = near.now();
    ClaimResult result = record.claim(claim);
    near.copy(result, asked);
    return result;
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    return record.complete(owner, outcome, retention);
  }

  @Override
  public boolean release(Owner owner, Release how) {
    return record.release(owner, how);
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    return record.renew(owners, lease);
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return record.find(key);
  }

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public <T> Optional<T> capability(Class<T> type) {
    if (type == Resolvable.class) {
      return resolvable.map(type::cast);
    }
    if (type == Queued.class) {
      return queue.map(type::cast);
    }
    return PASSED_ON.contains(type) ? record.capability(type) : Optional.empty();
  }

  private Resolvable forgetting(Resolvable behind) {
    return (seen, token, word) -> {
      if (!(word instanceof Resolution.Forget)) {
        return behind.resolve(seen, token, word);
      }
      // Before, so that no copy outlives the entry; once more, in case one was made in between, and
      // in the background for as long as the near side does not confirm it.
      boolean isAnswering = near.forget(seen.key());
      try {
        return behind.resolve(seen, token, word);
      } finally {
        near.forgetAgain(seen.key(), isAnswering);
      }
    };
  }

  /** Closes the near side; the record stays open. */
  @Override
  public void close() {
    near.close();
  }

  /** Settings of a layered store. */
  public static final class Builder {
    private final Store record;
    private final NearCopies copies;
    private byte @Nullable [] secret;
    private Duration nearTtl = Duration.ofMinutes(5);
    private InstantSource clock = SteadyClock.create();

    private Builder(Store record, NearCopies copies) {
      this.record = record;
      this.copies = copies;
    }

    /**
     * What copies are sealed with where others can write them too; the same in all processes. At
     * least 16 bytes, better 32 random ones.
     */
    public Builder secret(byte[] secret) {
      if (secret.length < SHORTEST_SECRET) {
        throw new IllegalArgumentException(
            "a secret has at least " + SHORTEST_SECRET + " bytes, this one has " + secret.length);
      }
      this.secret = secret.clone();
      return this;
    }

    /** How long a copy lives at most, 5 minutes by default. */
    public Builder nearTtl(Duration nearTtl) {
      if (nearTtl.compareTo(Duration.ofSeconds(2)) < 0) {
        throw new IllegalArgumentException("nearTtl must be at least 2 s, was " + nearTtl);
      }
      this.nearTtl = nearTtl.compareTo(LONGEST) < 0 ? nearTtl : LONGEST;
      return this;
    }

    /** The clock by which copies end at the latest; a {@link SteadyClock} by default. */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    private Seal seal() {
      if (secret != null) {
        return Seal.of(secret);
      }
      if (copies.isShared()) {
        throw new IllegalStateException(
            "others can write near copies too: give a secret to seal them with");
      }
      return Seal.NONE;
    }

    /**
     * Puts the two together.
     *
     * @throws IllegalStateException if others can write the copies and there is no secret
     */
    public LayeredStore build() {
      return new LayeredStore(this);
    }
  }
}
