// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.simulation.Coverage.Place;
import io.retrysafe.simulation.Track.Grant;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Store;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store itself: applies each call in one moment, and compares what the key was before with what
 * it is after.
 */
final class Truth extends PassingStore {
  private final World world;
  private final Map<OperationKey, Track> tracks = new LinkedHashMap<>();
  private final Profile profile;
  private final Recordings recordings;

  Truth(World world, Store backend, Recordings recordings) {
    super(backend);
    this.world = world;
    this.recordings = recordings;
    this.profile =
        new Profile(
            "simulated",
            "whatever is to be shown",
            List.of(),
            64 * 1024,
            Duration.ofMillis(world.plan.settings().unsettledRetention()),
            Duration.ofMillis(Plan.CALL_TIMEOUT));
  }

  /** Is told what is recorded. */
  interface Recordings {
    void on(Track track, Outcome outcome);
  }

  @Override
  public Profile profile() {
    return profile;
  }

  Track track(OperationKey key) {
    return tracks.computeIfAbsent(key, Track::new);
  }

  Iterable<Track> tracks() {
    return tracks.values();
  }

  private long now() {
    return TimeUnit.NANOSECONDS.toMicros(world.scheduler.now());
  }

  ClaimResult claim(Claim claim, Machine machine) {
    Track track = track(claim.key());
    Optional<Entry> before = look(track);
    ClaimResult result = super.claim(claim);
    Optional<Entry> after = super.find(claim.key());
    if (result instanceof ClaimResult.Granted granted) {
      granted(track, claim, machine, before, granted);
      track.leaseEnd = now() + micros(claim.lease());
      track.keptUntil = track.leaseEnd + micros(profile.unsettledRetention());
    } else {
      deny(!isSame(before, after), "P13", track, () -> "a refused claim changed " + before);
    }
    track.last = after;
    return result;
  }

  private void granted(
      Track track,
      Claim claim,
      Machine machine,
      Optional<Entry> before,
      ClaimResult.Granted granted) {
    Grant known = track.grants.get(claim.token());
    boolean isAgain =
        known != null
            && before.filter(b -> b.token().equals(claim.token())).isPresent()
            && granted.fence() == known.fence;
    before.ifPresent(entry -> grantedOver(track, claim, entry));
    if (track.isExpired) {
      track.nextGeneration();
      world.coverage.reached(Place.EXPIRED_SETTLED);
    }
    if (!isAgain) {
      deny(
          granted.fence() <= track.highestFence,
          "P4",
          track,
          () -> "the fence did not grow: " + granted.fence());
      track.highestFence = granted.fence();
      before.map(Entry::token).map(track.grants::get).ifPresent(old -> old.lostAt = now());
      track.granted(
          claim.token(),
          new Grant(
              machine,
              granted.fence(),
              granted.attempt(),
              track.generation,
              granted.previous(),
              track.steps));
    }
    boolean isMissing = !granted.steps().keySet().containsAll(track.steps);
    deny(isMissing, "S1", track, () -> "a remembered step is missing from a grant");
  }

  private void grantedOver(Track track, Claim claim, Entry entry) {
    deny(
        !entry.fingerprint().equals(claim.fingerprint()),
        "P11",
        track,
        () -> "granted to another request");
    deny(entry.phase() == Phase.SETTLED, "P7", track, () -> "granted over a settled entry");
    boolean isOther = !entry.token().equals(claim.token());
    boolean isLeased = entry.phase() == Phase.RUNNING && now() < track.leaseEnd;
    deny(isOther && isLeased, "P1", track, () -> "granted while the lease of another stands");
    Plan.Settings settings = world.plan.settings();
    boolean isDoubtful =
        isOther && (entry.phase() == Phase.RUNNING || entry.phase() == Phase.UNKNOWN);
    boolean isAllowed =
        switch (settings.recovering()) {
          case PARK -> false;
          case RERUN ->
              entry.attempt() < settings.attempts()
                  && entry.age().toMillis() <= settings.rerunWithin();
          case RECONCILE -> true;
        };
    deny(
        isDoubtful && !isAllowed,
        "P3",
        track,
        () -> "taken over past its bounds, after attempt " + entry.attempt());
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    Track track = track(owner.key());
    return change(
        owner,
        entry -> true,
        () -> super.complete(owner, outcome, retention),
        (entry, answer) -> {
          if (entry.phase() != Phase.SETTLED) {
            track.keptUntil = now() + micros(retention);
            record(track, entry, outcome);
          }
        });
  }

  private void record(Track track, Entry entry, Outcome outcome) {
    track.recorded.add(new Track.Recorded(track.generation, entry.fingerprint(), outcome));
    recordings.on(track, outcome);
  }

  @Override
  public boolean release(Owner owner, Release how) {
    Track track = track(owner.key());
    return change(
        owner,
        entry -> entry.phase() != Phase.SETTLED,
        () -> super.release(owner, how),
        (entry, answer) -> released(track, owner, how));
  }

  private void released(Track track, Owner owner, Release how) {
    track.keptUntil = now() + micros(profile.unsettledRetention());
    Grant grant = track.grants.get(owner.token());
    Optional<Entry> after = super.find(owner.key());
    deny(after.isEmpty() && !track.steps.isEmpty(), "S1", track, () -> "freed with its steps");
    if (grant == null) {
      return;
    }
    deny(grant.isWorking, "P13", track, () -> "released while its owner works");
    boolean isUnknown = after.filter(e -> e.phase() == Phase.UNKNOWN).isPresent();
    boolean mustBe =
        how == Release.UNKNOWN
            || grant.isUnknown
            || (how == Release.FREE && grant.previous == PreviousPhase.UNKNOWN);
    deny(mustBe && !isUnknown, "P15", track, () -> "an unknown outcome became " + after);
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    Set<Owner> renewed = new HashSet<>();
    for (Owner owner : owners) {
      Track track = track(owner.key());
      boolean isStill =
          change(
              owner,
              entry -> entry.phase() == Phase.RUNNING,
              () -> super.renew(Set.of(owner), lease).contains(owner),
              (entry, answer) -> {
                track.leaseEnd = now() + micros(lease);
                track.keptUntil = track.leaseEnd + micros(profile.unsettledRetention());
              });
      if (isStill) {
        renewed.add(owner);
      }
    }
    return renewed;
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    Track track = track(owner.key());
    return change(
        owner,
        entry -> entry.phase() != Phase.SETTLED,
        () -> super.step(owner, name, result),
        (entry, answer) -> {
          track.steps.add(name);
          Grant grant = track.grants.get(owner.token());
          if (grant != null) {
            grant.steps.add(name);
          }
        });
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return look(track(key));
  }

  @Override
  public Swept sweep(int limit) {
    tracks.values().forEach(this::look);
    Swept swept = super.sweep(limit);
    tracks.values().forEach(this::look);
    return swept;
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Resolution resolution) {
    Track track = track(seen.key());
    Optional<Entry> before = look(track);
    Resolved resolved = super.resolve(seen, token, resolution);
    Optional<Entry> after = super.find(seen.key());
    boolean isChanged = !isSame(before, after);
    deny(
        isChanged && resolved != Resolved.APPLIED,
        "P13",
        track,
        () -> "a refused resolution changed it");
    boolean isLeased =
        before.filter(e -> e.phase() == Phase.RUNNING).isPresent() && now() < track.leaseEnd;
    deny(isChanged && isLeased, "P1", track, () -> "resolved while a lease stands");
    if (isChanged && before.isPresent()) {
      track.keptUntil = now() + micros(profile.unsettledRetention());
      if (resolution instanceof Resolution.Done done) {
        track.keptUntil = now() + micros(done.retention());
        record(track, before.get(), done.outcome());
      }
    }
    track.last = after;
    return resolved;
  }

  private interface Changed {
    void on(Entry before, boolean answer);
  }

  /** Applies an owner's call: it may change something only if the entry is the owner's. */
  private boolean change(
      Owner owner, Predicate<Entry> isOpen, Supplier<Boolean> call, Changed changed) {
    Track track = track(owner.key());
    Optional<Entry> before = look(track);
    boolean isMine = before.filter(e -> e.token().equals(owner.token())).filter(isOpen).isPresent();
    boolean answer = call.get();
    Optional<Entry> after = super.find(owner.key());
    boolean isChanged = !isSame(before, after);
    deny(
        isChanged && !isMine,
        "P4",
        track,
        () -> owner.token() + " is not its owner, and changed it");
    deny(isMine && !answer, "P4", track, () -> owner.token() + " is its owner, and was told no");
    boolean isOthers = before.filter(e -> !e.token().equals(owner.token())).isPresent();
    deny(
        isOthers && answer,
        "P4",
        track,
        () -> owner.token() + " is not its owner, and was told yes");
    track.last = after;
    if (isMine) {
      changed.on(before.orElseThrow(), answer);
    } else if (before.isPresent() && !answer && track.grants.containsKey(owner.token())) {
      world.coverage.reached(Place.ZOMBIE_REJECTED);
    }
    return answer;
  }

  /** Returns the entry as it is, after looking whether it is as it was left. */
  private Optional<Entry> look(Track track) {
    Optional<Entry> entry = super.find(track.key);
    boolean isDue = track.last.isPresent() && now() >= track.keptUntil;
    track.isExpired |= isDue && entry.isEmpty();
    boolean isLost = track.last.isPresent() && !isDue && entry.isEmpty();
    deny(isLost, "P8", track, () -> "gone before its time");
    boolean isOther = entry.isPresent() && !isSame(track.last, entry);
    deny(isOther, "P7", track, () -> "changed by itself to " + entry);
    return entry;
  }

  private static boolean isSame(Optional<Entry> one, Optional<Entry> other) {
    return untimed(one.orElse(null)).equals(untimed(other.orElse(null)));
  }

  private static List<Object> untimed(@Nullable Entry entry) {
    return entry == null
        ? List.of()
        : List.of(
            entry.token(),
            entry.fence(),
            entry.phase(),
            entry.times().createdAt(),
            entry.times().leaseUntil(),
            entry.times().expiresAt(),
            entry.outcome());
  }

  private void deny(boolean isBroken, String property, Track track, Supplier<String> detail) {
    world.denyInside(isBroken, property, () -> track + ": " + detail.get());
  }

  private static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(duration);
  }
}
