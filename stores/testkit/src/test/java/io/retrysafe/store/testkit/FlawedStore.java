// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.internal.UnicodeText;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Contended;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Profile;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.State;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Token;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A store behind one monitor that makes at most one mistake. It shares no code with the memory
 * store; without a mistake it fulfils the contract. It keeps no history.
 */
final class FlawedStore implements Store, Steps, Sweepable, Browsable, Resolvable {
  private static final int LARGEST_OUTCOME = 1 << 16;
  private static final int LARGEST_STEPS = 4096;
  private static final Duration UNSETTLED = Duration.ofDays(30);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

  private final Map<String, FlawedRow> rows = new HashMap<>();
  private final Map<Token, Integer> attempts = new HashMap<>();
  private final Set<String> contended = ConcurrentHashMap.newKeySet();
  private final InstantSource clock;
  private final @Nullable Flaw flaw;

  FlawedStore(InstantSource clock, @Nullable Flaw flaw) {
    this.clock = clock;
    this.flaw = flaw;
  }

  private boolean has(Flaw one) {
    return flaw == one;
  }

  /** Holds a key as an open transaction does; waiting for it is all that is flawed here. */
  StoreFixture.Contention contend(OperationKey key) {
    contended.add(id(key));
    return () -> contended.remove(id(key));
  }

  private void await(OperationKey key) {
    if (contended.contains(id(key))) {
      LockSupport.parkNanos(CALL_TIMEOUT.toNanos());
      throw new NoAnswerException("the entry is in use", null);
    }
  }

  /** Lets other threads in between looking and doing. */
  private static void dawdle() {
    LockSupport.parkNanos(20_000);
  }

  private Instant now() {
    return clock.instant();
  }

  private String id(OperationKey key) {
    String id = new String(key.toBytes(), StandardCharsets.ISO_8859_1);
    return has(Flaw.IGNORES_CASE) ? id.toLowerCase(Locale.ROOT) : id;
  }

  private @Nullable FlawedRow row(OperationKey key) {
    return rows.get(id(key));
  }

  private @Nullable FlawedRow present(OperationKey key) {
    FlawedRow row = row(key);
    if (row == null || row.isAbsent(now())) {
      return null;
    }
    boolean isForgotten = has(Flaw.FORGETS_LAPSED_ENTRIES) && row.isLapsed(now());
    return isForgotten ? null : row;
  }

  @Override
  public ClaimResult claim(Claim claim) {
    Optional<Entry> saw = has(Flaw.SHOWS_WHAT_IT_SAW_BEFORE) ? find(claim.key()) : Optional.empty();
    boolean looks =
        has(Flaw.SHOWS_WHAT_IT_SAW_BEFORE)
            || (has(Flaw.LOOKS_BEFORE_IT_CLAIMS) && find(claim.key()).isEmpty());
    if (looks) {
      dawdle();
    }
    if (has(Flaw.LOOKS_BEFORE_IT_TAKES_OVER)) {
      Optional<Entry> seen = find(claim.key());
      if (seen.isPresent() && claim.isGrantedOver(seen.get())) {
        dawdle();
        synchronized (this) {
          FlawedRow row = present(claim.key());
          return row == null ? decide(claim, null) : takeOver(row, claim);
        }
      }
    }
    synchronized (this) {
      boolean isBlind = looks && has(Flaw.LOOKS_BEFORE_IT_CLAIMS);
      ClaimResult result = decide(claim, isBlind ? null : present(claim.key()));
      return result instanceof Held && saw.isPresent() ? new Held(saw.get()) : result;
    }
  }

  private ClaimResult decide(Claim claim, @Nullable FlawedRow row) {
    if (row == null) {
      return first(claim);
    }
    if (has(Flaw.RETAKES_SETTLED) && row.phase == Phase.SETTLED) {
      return takeOver(row, claim);
    }
    boolean isSame = row.fingerprint.equals(claim.fingerprint());
    boolean isOwn = row.token.equals(claim.token());
    if (isOwn && row.phase == Phase.RUNNING) {
      if (!isSame && !has(Flaw.CHANGES_FINGERPRINT_OF_REPEATED_CLAIM)) {
        return new Held(row.entry(now()));
      }
      row.fingerprint = claim.fingerprint();
      row.attempt += has(Flaw.COUNTS_REPEATED_CLAIMS) ? 1 : 0;
      return lease(row, claim);
    }
    boolean isOut = isOwn && !has(Flaw.GRANTS_RELEASED_TOKEN);
    boolean ignoresFingerprint = has(Flaw.IGNORES_FINGERPRINT_IN_TAKEOVER);
    return !isOut && (isSame || ignoresFingerprint) && isOpen(row, claim)
        ? takeOver(row, claim)
        : new Held(row.entry(now()));
  }

  private boolean isOpen(FlawedRow row, Claim claim) {
    int attempt = has(Flaw.IGNORES_ATTEMPTS) ? 0 : row.attempt;
    Duration age = has(Flaw.IGNORES_AGE) ? Duration.ZERO : Duration.between(row.createdAt, now());
    boolean isAllowed = claim.takeOver().allows(attempt, age);
    if (row.phase == Phase.RESUMABLE) {
      return !has(Flaw.BOUNDS_RESUMPTION) || isAllowed;
    }
    Instant then = has(Flaw.LAPSES_EARLY) ? now().plus(Duration.ofMinutes(30)) : now();
    return row.isLapsed(then) && isAllowed;
  }

  private ClaimResult first(Claim claim) {
    FlawedRow old = row(claim.key());
    if (old != null
        && old.isFreed
        && old.token.equals(claim.token())
        && !has(Flaw.GRANTS_RELEASED_TOKEN)) {
      return new Contended();
    }
    FlawedRow row = new FlawedRow(claim, now(), fence(old), UNSETTLED);
    rows.put(id(claim.key()), row);
    attempts.put(claim.token(), 1);
    return row.granted();
  }

  private long fence(@Nullable FlawedRow old) {
    if (has(Flaw.RESTARTS_FENCE)) {
      return old == null || old.isAbsent(now()) ? 1 : old.fence + 1;
    }
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, now());
    return old == null ? micros : Math.max(old.fence + 1, micros);
  }

  private ClaimResult takeOver(FlawedRow row, Claim claim) {
    row.previous = row.phase == Phase.RESUMABLE ? PreviousPhase.RESUMABLE : PreviousPhase.UNKNOWN;
    row.fence = fence(row);
    row.attempt++;
    row.token = claim.token();
    row.outcome = Optional.empty();
    if (has(Flaw.DROPS_STEPS_IN_TAKEOVER)) {
      row.steps.clear();
    }
    attempts.put(claim.token(), row.attempt);
    return lease(row, claim);
  }

  private ClaimResult lease(FlawedRow row, Claim claim) {
    row.phase = Phase.RUNNING;
    row.leaseUntil = FlawedRow.after(now(), claim.lease());
    row.expiresAt = FlawedRow.after(row.leaseUntil, UNSETTLED);
    return row.granted();
  }

  /** Returns the owner's row, or null if it is not there or not the owner's. */
  private @Nullable FlawedRow owned(Owner owner, Flaw forAnyToken) {
    FlawedRow row = row(owner.key());
    if (row == null) {
      return null;
    }
    boolean isOwn = row.token.equals(owner.token());
    if (has(Flaw.COMPARES_HALF_OF_A_TOKEN)) {
      isOwn = row.token.high() == owner.token().high();
    }
    if (has(Flaw.COMPARES_ATTEMPTS_INSTEAD_OF_TOKENS)) {
      isOwn = Objects.equals(attempts.get(owner.token()), row.attempt);
    }
    return isOwn || has(forAnyToken) ? row : null;
  }

  private boolean isUnsettled(FlawedRow row) {
    return row.phase != Phase.SETTLED && !row.isAbsent(now());
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    await(owner.key());
    boolean isTooLarge = OutcomeFormat.isLargerThan(outcome, LARGEST_OUTCOME);
    if (isTooLarge && !has(Flaw.KEEPS_OUTCOMES_OF_ANY_SIZE)) {
      throw new RefusedCallException("the outcome is too large", null);
    }
    if (has(Flaw.LOOKS_BEFORE_IT_COMPLETES)) {
      Optional<Entry> seen = find(owner.key());
      boolean isMine = seen.isPresent() && seen.get().token().equals(owner.token());
      boolean isOpen = isMine && seen.get().outcome().isEmpty();
      dawdle();
      synchronized (this) {
        FlawedRow row = row(owner.key());
        return (isOpen && row != null) ? settle(row, outcome, retention) : isMine;
      }
    }
    synchronized (this) {
      FlawedRow row = owned(owner, Flaw.COMPLETES_FOR_ANY_TOKEN);
      if (row == null || row.isFreed) {
        return false;
      }
      if (row.isAbsent(now()) && !has(Flaw.BRINGS_EXPIRED_BACK)) {
        return false;
      }
      if (row.phase == Phase.SETTLED) {
        row.outcome = has(Flaw.KEEPS_LAST_OUTCOME) ? Optional.of(outcome) : row.outcome;
        row.expiresAt = has(Flaw.PROLONGS_RETENTION) ? now().plus(retention) : row.expiresAt;
        return true;
      }
      boolean isLate = row.phase != Phase.RUNNING && has(Flaw.REFUSES_LATE_COMPLETION);
      return !isLate && settle(row, outcome, retention);
    }
  }

  private boolean settle(FlawedRow row, Outcome outcome, Duration retention) {
    boolean isOver = has(Flaw.OVERFLOWS) && retention.toDays() > 36_500;
    row.leave(Phase.SETTLED, now(), isOver ? retention.negated() : retention);
    Duration slip = Duration.ofMinutes(30);
    row.expiresAt =
        has(Flaw.EXPIRES_EARLY)
            ? row.expiresAt.minus(slip)
            : has(Flaw.EXPIRES_LATE) ? row.expiresAt.plus(slip) : row.expiresAt;
    boolean isCut = has(Flaw.CUTS_OUTCOME) && OutcomeFormat.size(outcome) > LARGEST_OUTCOME - 10;
    row.outcome = Optional.of(isCut ? outcome.withoutAnswer() : outcome);
    return true;
  }

  @Override
  public synchronized boolean release(Owner owner, Release how) {
    FlawedRow row = owned(owner, Flaw.RELEASES_FOR_ANY_TOKEN);
    if (row == null) {
      return false;
    }
    if (row.isFreed) {
      return how == Release.FREE && !has(Flaw.FORGETS_WHO_FREED);
    }
    if (!isUnsettled(row)) {
      return false;
    }
    boolean keepsSteps = !row.steps.isEmpty() && !has(Flaw.FREES_WITH_STEPS);
    if (how != Release.FREE) {
      row.leave(how == Release.UNKNOWN ? Phase.UNKNOWN : Phase.RESUMABLE, now(), UNSETTLED);
    } else if (row.previous == PreviousPhase.UNKNOWN
        && !has(Flaw.FORGETS_UNKNOWN_WHEN_FREED)
        && (row.steps.isEmpty() || !has(Flaw.STEPS_LIFT_THE_DOUBT))) {
      row.leave(Phase.UNKNOWN, now(), UNSETTLED);
    } else if (keepsSteps
        || (row.previous == PreviousPhase.RESUMABLE && !has(Flaw.FORGETS_RESUMABLE_WHEN_FREED))) {
      row.leave(Phase.RESUMABLE, now(), UNSETTLED);
    } else {
      row.free(now());
    }
    return true;
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    Set<Owner> renewed = new HashSet<>();
    for (Owner owner : owners) {
      if (renew(owner, lease)) {
        renewed.add(owner);
      }
    }
    return renewed;
  }

  private boolean renew(Owner owner, Duration lease) {
    FlawedRow row;
    synchronized (this) {
      row = owned(owner, Flaw.RENEWS_FOR_ANY_TOKEN);
      boolean isOpen =
          row != null
              && !row.isAbsent(now())
              && (row.phase == Phase.RUNNING
                  || (has(Flaw.RENEWS_RELEASED) && row.phase != Phase.SETTLED));
      if (row == null || !isOpen) {
        return false;
      }
      if (!has(Flaw.LOOKS_BEFORE_IT_RENEWS)) {
        return extend(row, lease);
      }
      row = row.copy();
    }
    dawdle();
    synchronized (this) {
      rows.put(id(owner.key()), row);
      return extend(row, lease);
    }
  }

  private boolean extend(FlawedRow row, Duration lease) {
    row.phase = Phase.RUNNING;
    row.leaseUntil = FlawedRow.after(now(), lease);
    row.expiresAt = FlawedRow.after(row.leaseUntil, UNSETTLED);
    return true;
  }

  @Override
  public synchronized Optional<Entry> find(OperationKey key) {
    return Optional.ofNullable(present(key)).map(row -> row.entry(now()));
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    if (!has(Flaw.TAKES_ANY_NAME)) {
      UnicodeText.checked("a step's name", name);
    }
    Map<String, Bytes> steps;
    synchronized (this) {
      FlawedRow row = owned(owner, Flaw.REMEMBERS_FOR_ANY_TOKEN);
      if (row == null || !isUnsettled(row)) {
        return false;
      }
      steps = new HashMap<>(row.steps);
      if (!has(Flaw.LOOKS_BEFORE_IT_REMEMBERS)) {
        return remember(row, steps, name, result);
      }
    }
    dawdle();
    synchronized (this) {
      FlawedRow row = row(owner.key());
      return row != null && remember(row, steps, name, result);
    }
  }

  private boolean remember(FlawedRow row, Map<String, Bytes> steps, String name, Bytes result) {
    if (has(Flaw.OVERWRITES_STEPS)) {
      steps.put(name, result);
    } else {
      steps.putIfAbsent(name, result);
    }
    int size = 0;
    for (Map.Entry<String, Bytes> each : steps.entrySet()) {
      size += Bytes.utf8(each.getKey()).size() + each.getValue().size();
    }
    if (size > LARGEST_STEPS) {
      throw new RefusedCallException("too many steps", null);
    }
    row.steps = steps;
    return true;
  }

  @Override
  public int largestSteps() {
    return LARGEST_STEPS;
  }

  @Override
  public synchronized Swept sweep(int limit) {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, now());
    List<Entry> unsettled = new ArrayList<>();
    List<FlawedRow> ended =
        rows.values().stream().filter(row -> isOver(row, micros)).limit(limit).toList();
    for (FlawedRow row : ended) {
      rows.remove(id(row.key));
      if (!row.isFreed && row.phase != Phase.SETTLED && !has(Flaw.SWEEPS_IN_SILENCE)) {
        unsettled.add(row.entry(now()));
      }
    }
    return new Swept(ended.size(), unsettled);
  }

  private boolean isOver(FlawedRow row, long micros) {
    if (has(Flaw.SWEEPS_FENCES)) {
      return row.isAbsent(now());
    }
    boolean isOver = !row.expiresAt.isAfter(now()) && row.fence < micros;
    return isOver || (has(Flaw.SWEEPS_LAPSED) && row.isLapsed(now()));
  }

  synchronized boolean damage(OperationKey key) {
    Objects.requireNonNull(row(key)).isDamaged = true;
    return true;
  }

  @Override
  public synchronized Page browse(Query query) {
    int from = query.cursor().map(Integer::valueOf).orElse(0);
    List<Entry> all =
        rows.values().stream()
            .filter(row -> !row.isAbsent(now()))
            .map(row -> row.entry(now()))
            .filter(entry -> query.states().contains(state(entry)))
            .filter(e -> query.account().map(e.key().scope().account()::equals).orElse(true))
            .filter(e -> query.endpoint().map(e.key().scope().endpoint()::equals).orElse(true))
            .filter(e -> query.key().map(e.key().value()::equals).orElse(true))
            .filter(entry -> entry.age().compareTo(query.olderThan()) >= 0)
            .sorted(Comparator.comparing(entry -> id(entry.key())))
            .toList();
    int to = Math.min(from + query.limit(), all.size());
    int next = has(Flaw.REPEATS_ON_PAGES) && to > from + 1 ? to - 1 : to;
    List<Entry> entries = new ArrayList<>();
    List<Unreadable> unreadable = new ArrayList<>();
    for (Entry entry : all.subList(from, to)) {
      if (!Objects.requireNonNull(row(entry.key())).isDamaged) {
        entries.add(entry);
      } else if (has(Flaw.ENDS_LISTINGS_AT_DAMAGE)) {
        throw new IllegalArgumentException("an entry is damaged");
      } else {
        unreadable.add(
            new Unreadable(entry.key().value(), Optional.of(entry.key()), "it is damaged"));
      }
    }
    return new Page(
        entries,
        unreadable,
        to < all.size() ? Optional.of(Integer.toString(next)) : Optional.empty());
  }

  private State state(Entry entry) {
    return has(Flaw.LISTS_LAPSED_AS_RUNNING) && entry.isLapsed()
        ? State.IN_PROGRESS
        : entry.state();
  }

  @Override
  public synchronized Resolved resolve(Entry seen, Token token, Resolution resolution) {
    FlawedRow row = row(seen.key());
    if (row == null) {
      return Resolved.CHANGED;
    }
    boolean isGone = row.isAbsent(now());
    if (row.token.equals(token) && (row.isFreed || !isGone) && !has(Flaw.HEARS_EVERY_WORD_AS_NEW)) {
      return Resolved.APPLIED;
    }
    boolean isSame = row.token.equals(seen.token()) && row.fence == seen.fence();
    boolean isOpen = resolution instanceof Resolution.Forget || row.phase != Phase.SETTLED;
    if (isGone || !isOpen || !(isSame || has(Flaw.RESOLVES_UNSEEN))) {
      return Resolved.CHANGED;
    }
    boolean isLeased = row.phase == Phase.RUNNING && !row.isLapsed(now());
    if (isLeased && !has(Flaw.RESOLVES_LEASED)) {
      return Resolved.LEASED;
    }
    row.token = has(Flaw.KEEPS_OWNER_IN_RESOLUTION) ? row.token : token;
    if (resolution instanceof Resolution.Done done) {
      settle(row, done.outcome(), done.retention());
    } else if (resolution instanceof Resolution.NotDone && !row.steps.isEmpty()) {
      row.leave(Phase.RESUMABLE, now(), UNSETTLED);
    } else {
      row.free(now());
    }
    return Resolved.APPLIED;
  }

  @Override
  public Profile profile() {
    String name = flaw == null ? "flawless" : flaw.name();
    return new Profile(name, "none", List.of(), LARGEST_OUTCOME, UNSETTLED, Duration.ZERO);
  }
}
