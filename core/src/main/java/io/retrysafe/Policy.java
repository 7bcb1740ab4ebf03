// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.internal.DurationChecks;
import io.retrysafe.internal.UnknownFailures;
import java.time.Duration;
import java.util.function.Predicate;

/** How an operation is run and remembered. Immutable: every setter returns another policy. */
public final class Policy {
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
    return with(s -> s.lease = DurationChecks.positive("lease", lease));
  }

  public Duration maxRunning() {
    return settings.maxRunning;
  }

  /**
   * For how long a claim is renewed, 1 h by default: an operation that runs longer becomes unknown
   * instead of staying in progress.
   */
  public Policy maxRunning(Duration maxRunning) {
    return with(s -> s.maxRunning = DurationChecks.positive("maxRunning", maxRunning));
  }

  public Duration retention() {
    return settings.retention;
  }

  /** How long a settled operation answers retries, 24 h by default. */
  public Policy retention(Duration retention) {
    return with(s -> s.retention = DurationChecks.positive("retention", retention));
  }

  public Duration waitUpTo() {
    return settings.waitUpTo;
  }

  /**
   * How long a duplicate waits for the running operation before it gets "in progress"; zero by
   * default.
   */
  public Policy waitUpTo(Duration waitUpTo) {
    if (waitUpTo.isNegative() || waitUpTo.compareTo(DurationChecks.LONGEST) > 0) {
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

  public OnFailure failures() {
    return settings.failures;
  }

  /** What happens to an operation that failed; {@link OnFailure#KEEP} by default. */
  public Policy failures(OnFailure failures) {
    return with(s -> s.failures = failures);
  }

  public Predicate<Throwable> unknownOn() {
    return settings.unknownOn;
  }

  /**
   * Which exceptions of the work mean that the effect may have happened. They leave the operation
   * unknown, whatever {@link #failures(OnFailure)} says, and the recovery decides what a retry
   * does. The first caller gets the exception itself. In a transaction that settles the operation
   * too ({@link Operation#settleWith}) nothing is unknown: the transaction is rolled back, and the
   * predicate is not called.
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
    OnFailure failures = OnFailure.KEEP;
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
