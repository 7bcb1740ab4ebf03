// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Metered;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Standing;
import io.retrysafe.store.SteadyClock;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Token;
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
 * <p><b>Expiry.</b> A copy lives at most {@code nearTtl} and never longer than its entry. A settled
 * entry changes in one way only: an operator has it forgotten. That replaces the copy of this near
 * side at once; copies inside other processes live up to {@code nearTtl} more.
 */
public final class LayeredStore
    implements Store,
        Steps,
        Sweepable,
        Browsable,
        Resolvable,
        History,
        Secrets,
        Metered,
        Wakeups,
        AutoCloseable {
  private static final int SHORTEST_SECRET = 16;

  /** "For ever", of which times can still be counted. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final Store record;
  private final Steps steps;
  private final Browsable browsable;
  private final Resolvable resolvable;
  private final History history;
  private final Secrets secrets;
  private final Metered metered;
  private final Near near;
  private final Profile profile;

  private LayeredStore(Builder builder) {
    this.record = builder.record;
    this.steps = capable(record, Steps.class);
    this.browsable = capable(record, Browsable.class);
    this.resolvable = capable(record, Resolvable.class);
    this.history = capable(record, History.class);
    this.secrets = capable(record, Secrets.class);
    this.metered = capable(record, Metered.class);
    this.near = new Near(builder.copies, builder.seal(), builder.nearTtl, builder.clock);
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

  private static <T> T capable(Store record, Class<T> capability) {
    if (!capability.isInstance(record)) {
      throw new IllegalArgumentException(
          "the store "
              + record.profile().name()
              + " cannot be layered: it has no "
              + capability.getSimpleName());
    }
    return capability.cast(record);
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
    if (result instanceof ClaimResult.Held held && held.entry().standing() == Standing.SETTLED) {
      near.copy(held.entry(), asked);
    }
    return result;
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    return record.complete(owner, outcome, retention);
  }

  @Override
  public boolean release(Owner owner, LeaveAs how) {
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
  public boolean step(Owner owner, String name, Bytes result) {
    return steps.step(owner, name, result);
  }

  @Override
  public int largestSteps() {
    return steps.largestSteps();
  }

  /** Sweeps the record, where that needs it. */
  @Override
  public Swept sweep(int limit) {
    return record instanceof Sweepable sweepable ? sweepable.sweep(limit) : new Swept(0, List.of());
  }

  @Override
  public Page browse(Query query) {
    return browsable.browse(query);
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Word word) {
    if (!(word instanceof Word.Forget)) {
      return resolvable.resolve(seen, token, word);
    }
    // Before, so that no copy outlives the entry; once more, in case one was made in between, and
    // in the background for as long as the near side does not confirm it.
    boolean isAnswering = near.forget(seen.key());
    try {
      return resolvable.resolve(seen, token, word);
    } finally {
      near.forgetAgain(seen.key(), isAnswering);
    }
  }

  @Override
  public void append(List<Event> events) {
    history.append(events);
  }

  @Override
  public List<Event> history(OperationKey key) {
    return history.history(key);
  }

  @Override
  public List<Event> audit(Instant before, int limit) {
    return history.audit(before, limit);
  }

  @Override
  public Usage usage(long entries, long bytes) {
    return metered.usage(entries, bytes);
  }

  @Override
  public Bytes keep(String name, Bytes value) {
    return secrets.keep(name, value);
  }

  /** Listens to the record, where that tells. */
  @Override
  public Watch watch(OperationKey key, Runnable wake) {
    return record instanceof Wakeups wakeups ? wakeups.watch(key, wake) : () -> {};
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
