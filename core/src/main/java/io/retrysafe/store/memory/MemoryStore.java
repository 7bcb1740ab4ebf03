// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.memory;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.internal.SteadyClock;
import io.retrysafe.internal.UnicodeText;
import io.retrysafe.internal.store.UsageCount;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.Immediate;
import io.retrysafe.store.Metered;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Token;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Entries in this process, for tests and development: they end with it.
 *
 * <p><b>Layout.</b> A concurrent map from key to an immutable row.
 *
 * <p><b>Atomic step.</b> {@code compute} on the key.
 *
 * <p><b>Expiry.</b> Expired and freed rows are absent at once and removed by {@link #sweep}, freed
 * ones ten seconds later, which the store also runs itself whenever it has doubled since the last
 * one. It holds at most {@link Builder#maxEntries}; when that many are live, new keys are refused:
 * an entry is never removed before its time.
 */
public final class MemoryStore
    implements Store,
        Steps,
        Sweepable,
        Browsable,
        Resolvable,
        History,
        Secrets,
        Metered,
        Immediate {
  private static final int LARGEST_OUTCOME = 16 * 1024 * 1024;
  private static final int LARGEST_STEPS = 64 * 1024;

  private final MemoryRows rows;
  private final MemoryHistory history = new MemoryHistory();
  private final ConcurrentHashMap<String, Bytes> secrets = new ConcurrentHashMap<>();
  private final Profile profile;
  private final long unsettled;

  private MemoryStore(Builder builder) {
    this.rows = new MemoryRows(builder.clock, builder.maxEntries, history);
    this.unsettled = MemoryRow.micros(builder.unsettledRetention);
    this.profile =
        new Profile(
            "memory",
            "one live owner, fenced completion and one recorded answer inside one JVM, until it stops",
            List.of("for tests and development"),
            LARGEST_OUTCOME,
            builder.unsettledRetention,
            Duration.ZERO);
  }

  /** Returns a store with all defaults. */
  public static MemoryStore create() {
    return builder().build();
  }

  /** Returns a builder with all defaults. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public ClaimResult claim(Claim claim) {
    rows.makeRoom(claim.key());
    StepAnswer<ClaimResult> answer = new StepAnswer<>();
    rows.compute(
        claim.key(),
        (key, row) -> {
          if (row != null && row.isFreedBy(claim.token())) {
            answer.value = new ClaimResult.Contended();
            return row;
          }
          long now = rows.now();
          boolean absent = row == null || row.isAbsent(now);
          MemoryRow next =
              absent
                  ? MemoryRow.first(claim, row, now, unsettled)
                  : row.claimed(claim, now, unsettled);
          if (next == null) {
            answer.value = new ClaimResult.Held(row.entry(key, now));
            return row;
          }
          answer.value = next.granted();
          return next;
        });
    return answer.get();
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    checkSize(outcome);
    return rows.step(
        owner,
        (row, now) -> {
          if (row.phase() == RowPhase.SETTLED && !row.isAbsent(now)) {
            return row;
          }
          return row.isUnsettled(now) ? row.settled(owner.token(), outcome, retention, now) : null;
        });
  }

  @Override
  public boolean release(Owner owner, Release how) {
    return rows.step(
        owner,
        (row, now) -> {
          if (row.phase() == RowPhase.FREED && how == Release.FREE) {
            return row;
          }
          return row.isUnsettled(now) ? row.released(how, now, unsettled) : null;
        });
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    Set<Owner> renewed = new HashSet<>();
    for (Owner owner : owners) {
      boolean still =
          rows.step(
              owner,
              (row, now) ->
                  row.phase() == RowPhase.RUNNING && !row.isAbsent(now)
                      ? row.renewed(lease, now, unsettled)
                      : null);
      if (still) {
        renewed.add(owner);
      }
    }
    return renewed;
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    StepAnswer<Optional<Entry>> answer = new StepAnswer<>();
    answer.value = Optional.empty();
    // Row and time belong to one moment: a row read before a renewal would look lapsed after it.
    rows.computeIfPresent(
        key,
        (same, row) -> {
          long now = rows.now();
          answer.value = row.isAbsent(now) ? Optional.empty() : Optional.of(row.entry(key, now));
          return row;
        });
    return answer.get();
  }

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    UnicodeText.checked("a step's name", name);
    return rows.step(
        owner,
        (row, now) -> {
          if (!row.isUnsettled(now)) {
            return null;
          }
          MemoryRow next = row.with(name, result);
          long size = next.steps().entrySet().stream().mapToLong(MemoryStore::size).sum();
          if (size > LARGEST_STEPS) {
            throw new RefusedCallException(
                "the steps of "
                    + owner.key()
                    + " would take "
                    + size
                    + " bytes, at most "
                    + LARGEST_STEPS
                    + " fit",
                null);
          }
          return next;
        });
  }

  @Override
  public int largestSteps() {
    return LARGEST_STEPS;
  }

  @Override
  public Swept sweep(int limit) {
    return rows.sweep(limit);
  }

  @Override
  public Usage usage(long entries, long bytes) {
    UsageCount count = UsageCount.create(entries, bytes);
    long now = rows.now();
    rows.forEach(
        (key, row) -> {
          if (!row.isAbsent(now)) {
            count.add(key.scope().account(), key.toBytes().length + row.size());
          }
        });
    return count.usage();
  }

  @Override
  public Page browse(Query query) {
    long now = rows.now();
    List<Entry> present = new ArrayList<>();
    rows.forEach(
        (key, row) -> {
          if (!row.isAbsent(now)) {
            present.add(row.entry(key, now));
          }
        });
    return MemoryPages.page(present, query);
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Resolution resolution) {
    if (resolution instanceof Resolution.Done done) {
      checkSize(done.outcome());
    }
    StepAnswer<Resolved> answer = new StepAnswer<>();
    rows.compute(
        seen.key(),
        (key, row) -> {
          if (row == null) {
            answer.value = Resolved.CHANGED;
            return null;
          }
          long now = rows.now();
          if (row.token().equals(token) && (row.phase() == RowPhase.FREED || !row.isAbsent(now))) {
            answer.value = Resolved.APPLIED;
            return row;
          }
          boolean same = row.token().equals(seen.token()) && row.fence() == seen.fence();
          boolean fits =
              resolution instanceof Resolution.Forget ? !row.isAbsent(now) : row.isUnsettled(now);
          if (!same || !fits) {
            answer.value = Resolved.CHANGED;
            return row;
          }
          if (row.phase() == RowPhase.RUNNING && row.leaseUntil() > now) {
            answer.value = Resolved.LEASED;
            return row;
          }
          answer.value = Resolved.APPLIED;
          return resolved(row, token, resolution, now);
        });
    return answer.get();
  }

  private static void checkSize(Outcome outcome) {
    if (OutcomeFormat.isLargerThan(outcome, LARGEST_OUTCOME)) {
      throw new RefusedCallException(
          "an outcome takes at most "
              + LARGEST_OUTCOME
              + " bytes, this one takes "
              + OutcomeFormat.size(outcome),
          null);
    }
  }

  private MemoryRow resolved(MemoryRow row, Token token, Resolution resolution, long now) {
    if (resolution instanceof Resolution.Done done) {
      return row.settled(token, done.outcome(), done.retention(), now);
    }
    boolean keepsSteps = resolution instanceof Resolution.NotDone && !row.steps().isEmpty();
    return keepsSteps ? row.resumable(token, now, unsettled) : row.freed(token, now);
  }

  @Override
  public void append(List<Event> events) {
    for (Event event : events) {
      history.audited(event);
      rows.computeIfPresent(
          event.key(),
          (key, row) -> {
            history.append(event);
            return row;
          });
    }
  }

  @Override
  public List<Event> history(OperationKey key) {
    return history.of(key);
  }

  @Override
  public List<Event> audit(Instant before, int limit) {
    return history.audit(before, limit);
  }

  @Override
  public Bytes keep(String name, Bytes value) {
    Secrets.check(name, value);
    Bytes kept = secrets.putIfAbsent(name, value);
    return kept == null ? value : kept;
  }

  private static long size(Map.Entry<String, Bytes> step) {
    return (long) step.getKey().getBytes(StandardCharsets.UTF_8).length + step.getValue().size();
  }

  /** Settings of a memory store. */
  public static final class Builder {
    private InstantSource clock = SteadyClock.create();
    private int maxEntries = 1_000_000;
    private Duration unsettledRetention = Profile.DEFAULT_UNSETTLED_RETENTION;

    private Builder() {}

    /** The clock of all leases and retentions; a {@link SteadyClock} by default. */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    /** How many entries the store holds; 1,000,000 by default. Past that new keys are refused. */
    public Builder maxEntries(int maxEntries) {
      if (maxEntries < 1) {
        throw new IllegalArgumentException("maxEntries must be positive, was " + maxEntries);
      }
      this.maxEntries = maxEntries;
      return this;
    }

    /** How long unsettled entries live past their lease; 30 days by default. */
    public Builder unsettledRetention(Duration unsettledRetention) {
      if (unsettledRetention.isNegative()) {
        throw new IllegalArgumentException(
            "unsettledRetention must not be negative, was " + unsettledRetention);
      }
      this.unsettledRetention = unsettledRetention;
      return this;
    }

    public MemoryStore build() {
      return new MemoryStore(this);
    }
  }
}
