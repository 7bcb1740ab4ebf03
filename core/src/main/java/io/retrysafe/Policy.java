// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.internal.DurationText;
import java.time.Duration;
import java.util.function.Predicate;

/** How an operation is run and remembered. Immutable: every setter returns another policy. */
public final class Policy {
  private static final Duration LONGEST = Duration.ofDays(3660);
  private static final Policy DEFAULTS = new Policy(new Settings());

  private final Settings settings;

  private Policy(Settings settings) {
    this.settings = settings;
  }

  /** Returns the policy with all defaults. */
  public static Policy create() {
    return DEFAULTS;
  }

  public Duration lease() {
    return settings.lease;
  }

  /**
   * How long a claim stands without being renewed, 30 s by default; it is renewed at a third of
   * that.
   */
  public Policy lease(Duration lease) {
    return with(s -> s.lease = positive("lease", lease));
  }

  public Duration maxRunning() {
    return settings.maxRunning;
  }

  /**
   * For how long a claim is renewed, 1 h by default: work that hangs longer is unknown, not in
   * progress for ever.
   */
  public Policy maxRunning(Duration maxRunning) {
    return with(s -> s.maxRunning = positive("maxRunning", maxRunning));
  }

  public Duration retention() {
    return settings.retention;
  }

  /** How long a settled operation answers retries, 24 h by default. */
  public Policy retention(Duration retention) {
    return with(s -> s.retention = positive("retention", retention));
  }

  public Duration waitUpTo() {
    return settings.waitUpTo;
  }

  /**
   * How long a duplicate waits for the running one before it is told "in progress"; not at all by
   * default.
   */
  public Policy waitUpTo(Duration waitUpTo) {
    if (waitUpTo.isNegative() || waitUpTo.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("waitUpTo must not be negative, was " + waitUpTo);
    }
    return with(s -> s.waitUpTo = waitUpTo);
  }

  public Recovery recovery() {
    return settings.recovery;
  }

  /** What a lapsed lease means; {@link Recovery#park()} by default. */
  public Policy recovery(Recovery recovery) {
    return with(s -> s.recovery = recovery);
  }

  public Failures failures() {
    return settings.failures;
  }

  /** What becomes of an operation that failed; {@link Failures#KEEP} by default. */
  public Policy failures(Failures failures) {
    return with(s -> s.failures = failures);
  }

  public Predicate<Throwable> unknownOn() {
    return settings.unknownOn;
  }

  /**
   * Which exceptions of the work mean that nobody knows whether the effect happened. They leave the
   * operation unknown, whatever {@link #failures(Failures)} says, and the recovery decides what a
   * retry does. The first caller gets the exception itself. In a transaction that settles the
   * operation too ({@link Operation#settleWith}) nothing is unknown: it is rolled back, and the
   * predicate is not asked.
   *
   * <p>By default {@link java.io.IOException} and {@link java.util.concurrent.TimeoutException}
   * anywhere in the cause chain, except {@link java.net.ConnectException}, {@link
   * java.net.UnknownHostException} and {@link java.nio.file.FileSystemException}. The outermost of
   * these types decides. A predicate that throws counts as true.
   */
  public Policy unknownOn(Predicate<Throwable> isUnknown) {
    return with(s -> s.unknownOn = isUnknown);
  }

  public int largestAnswer() {
    return settings.largestAnswer;
  }

  /**
   * How many bytes of answer are kept, 1 MiB by default: a larger one is settled without its
   * answer.
   */
  public Policy largestAnswer(int bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("largestAnswer must not be negative, was " + bytes);
    }
    return with(s -> s.largestAnswer = bytes);
  }

  static Duration positive(String name, Duration duration) {
    if (duration.isNegative() || duration.isZero()) {
      throw new IllegalArgumentException(
          name + " must be positive, was " + DurationText.text(duration));
    }
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name
              + " must be at most "
              + DurationText.text(LONGEST)
              + ", was "
              + DurationText.text(duration));
    }
    return duration;
  }

  private Policy with(java.util.function.Consumer<Settings> change) {
    Settings changed = new Settings(settings);
    change.accept(changed);
    return new Policy(changed);
  }

  private static final class Settings {
    Duration lease = Duration.ofSeconds(30);
    Duration maxRunning = Duration.ofHours(1);
    Duration retention = Duration.ofHours(24);
    Duration waitUpTo = Duration.ZERO;
    Recovery recovery = Recovery.park();
    Failures failures = Failures.KEEP;
    Predicate<Throwable> unknownOn = UnknownFailures::isUnknown;
    int largestAnswer = 1024 * 1024;

    Settings() {}

    Settings(Settings other) {
      lease = other.lease;
      maxRunning = other.maxRunning;
      retention = other.retention;
      waitUpTo = other.waitUpTo;
      recovery = other.recovery;
      failures = other.failures;
      unknownOn = other.unknownOn;
      largestAnswer = other.largestAnswer;
    }
  }
}
