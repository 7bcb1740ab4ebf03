// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.retrysafe.internal.DurationText;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Time-outs, sizes and counts that bound the gateway. Immutable: every setter returns new limits.
 */
public final class Limits {
  private static final Duration LONGEST = Duration.ofDays(1);
  private static final int LATE = 10;
  private static final Limits DEFAULTS = new Limits(new Values());

  private final Values values;

  private Limits(Values values) {
    this.values = values;
  }

  /** Returns the defaults. */
  public static Limits create() {
    return DEFAULTS;
  }

  public Duration connectTimeout() {
    return values.connectTimeout;
  }

  /** {@code connect-timeout}: how long a connection to an upstream may take, 5 s by default. */
  public Limits connectTimeout(Duration value) {
    return with(v -> v.connectTimeout = positive("connect-timeout", value));
  }

  public Duration answerTimeout() {
    return values.answerTimeout;
  }

  /**
   * {@code answer-timeout}: how long an upstream may be silent before its outcome is unknown, 60 s
   * by default.
   */
  public Limits answerTimeout(Duration value) {
    return with(v -> v.answerTimeout = positive("answer-timeout", value));
  }

  /**
   * Returns how long the gateway waits for a late answer, ten times {@link #answerTimeout}. After
   * that it closes the upstream connection of the unknown operation.
   */
  public Duration lateWithin() {
    return answerTimeout().multipliedBy(LATE);
  }

  public Duration upstreamIdle() {
    return values.upstreamIdle;
  }

  /**
   * {@code upstream-idle}: how long an unused connection to an upstream is kept, 4 s by default. It
   * should be shorter than the upstreams' own idle time-out, so that no upstream closes a
   * connection while the gateway writes a request to it.
   */
  public Limits upstreamIdle(Duration value) {
    return with(v -> v.upstreamIdle = positive("upstream-idle", value));
  }

  public int upstreamConnections() {
    return values.upstreamConnections;
  }

  /**
   * {@code upstream-connections}: how many connections there may be to an upstream, 512 by default.
   */
  public Limits upstreamConnections(int value) {
    return with(v -> v.upstreamConnections = positive("upstream-connections", value));
  }

  public Duration headTimeout() {
    return values.headTimeout;
  }

  /**
   * {@code head-timeout}: how long the head of a request may take to arrive, and for how long a
   * connection may be unused, 60 s by default.
   */
  public Limits headTimeout(Duration value) {
    return with(v -> v.headTimeout = positive("head-timeout", value));
  }

  public Duration bodyTimeout() {
    return values.bodyTimeout;
  }

  /**
   * {@code body-timeout}: how long the whole body of a guarded request may take to arrive, 60 s by
   * default.
   */
  public Limits bodyTimeout(Duration value) {
    return with(v -> v.bodyTimeout = positive("body-timeout", value));
  }

  /** Returns over how much time {@link #bodyRate} is measured: a third of the body's time-out. */
  public Duration bodyWindow() {
    return values.bodyTimeout.dividedBy(3);
  }

  public int bodyRate() {
    return values.bodyRate;
  }

  /**
   * {@code body-rate}: the minimum rate of a request body in bytes per second, measured over thirds
   * of the body time-out, 500 by default; 0 for no minimum.
   */
  public Limits bodyRate(int value) {
    return with(v -> v.bodyRate = notNegative("body-rate", value));
  }

  public Duration passTimeout() {
    return values.passTimeout;
  }

  /**
   * {@code pass-timeout}: how long the whole body of a request that passes may take to arrive, 15
   * minutes by default.
   */
  public Limits passTimeout(Duration value) {
    return with(v -> v.passTimeout = positive("pass-timeout", value));
  }

  public int connectionsPerClient() {
    return values.connectionsPerClient;
  }

  /**
   * {@code connections-per-client}: how many connections a port takes from one address; 0, the
   * default, for any number. Connections of trusted proxies are not counted.
   */
  public Limits connectionsPerClient(int value) {
    return with(v -> v.connectionsPerClient = notNegative("connections-per-client", value));
  }

  public int requestsPerClient() {
    return values.requestsPerClient;
  }

  /**
   * {@code requests-per-client}: how many requests of one address may be under way at once; 0, the
   * default, for any number. The address is the peer's, or what a trusted proxy reports.
   */
  public Limits requestsPerClient(int value) {
    return with(v -> v.requestsPerClient = notNegative("requests-per-client", value));
  }

  public int headSize() {
    return values.headSize;
  }

  /** {@code head-size}: how many bytes the head of a request may have, 32 KiB by default. */
  public Limits headSize(int value) {
    return with(v -> v.headSize = positive("head-size", value));
  }

  public int connections() {
    return values.connections;
  }

  /** {@code connections}: how many connections a port takes, 10,000 by default. */
  public Limits connections(int value) {
    return with(v -> v.connections = positive("connections", value));
  }

  public int requests() {
    return values.requests;
  }

  /**
   * {@code requests}: how many requests may be under way at once, 5,000 by default; more get
   * too-many-operations.
   */
  public Limits requests(int value) {
    return with(v -> v.requests = positive("requests", value));
  }

  public long bodiesMemory() {
    return values.bodiesMemory;
  }

  /**
   * {@code bodies-memory}: how much memory the bodies of all guarded requests may hold together, an
   * eighth of the heap by default. Further bodies go to temporary files.
   */
  public Limits bodiesMemory(long value) {
    if (value < 0) {
      throw new IllegalArgumentException("bodies-memory must not be negative, was " + value);
    }
    return with(v -> v.bodiesMemory = value);
  }

  public long answersMemory() {
    return values.answersMemory;
  }

  /**
   * {@code answers-memory}: how much memory all answers to guarded requests may hold together until
   * they are recorded, an eighth of the heap by default. If there is no room for an answer, the
   * gateway streams it and records it as not kept.
   */
  public Limits answersMemory(long value) {
    if (value < 0) {
      throw new IllegalArgumentException("answers-memory must not be negative, was " + value);
    }
    return with(v -> v.answersMemory = value);
  }

  public Duration stopWithin() {
    return values.stopWithin;
  }

  /**
   * {@code stop-within}: how long a stop waits for running operations, including operations whose
   * clients disconnected, 30 s by default.
   */
  public Limits stopWithin(Duration value) {
    return with(v -> v.stopWithin = notNegative("stop-within", value));
  }

  public Duration storeDeadline() {
    return values.storeDeadline;
  }

  /** {@code store-deadline}: how long a request waits for the store, 2 s by default. */
  public Limits storeDeadline(Duration value) {
    return with(v -> v.storeDeadline = positive("store-deadline", value));
  }

  /** Returns how much memory outcomes that are not recorded yet may hold; empty for the default. */
  public OptionalLong pendingMemory() {
    return values.pendingMemory;
  }

  /**
   * {@code pending-memory}: how much memory outcomes may hold while the store does not answer, 64
   * MiB or an eighth of the heap by default.
   */
  public Limits pendingMemory(long value) {
    if (value < 0) {
      throw new IllegalArgumentException("pending-memory must not be negative, was " + value);
    }
    return with(v -> v.pendingMemory = OptionalLong.of(value));
  }

  private static Duration positive(String name, Duration value) {
    if (value.isZero()) {
      throw new IllegalArgumentException(name + " must be positive, was 0s");
    }
    return notNegative(name, value);
  }

  private static Duration notNegative(String name, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(name + " must not be negative, was " + value);
    }
    if (value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + " must be at most 24h, was " + DurationText.text(value));
    }
    return value;
  }

  private static int notNegative(String name, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " must not be negative, was " + value);
    }
    return value;
  }

  private static int positive(String name, int value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be positive, was " + value);
    }
    return value;
  }

  private Limits with(Consumer<Values> change) {
    Values changed = values.copy();
    change.accept(changed);
    return new Limits(changed);
  }

  private static final class Values implements Cloneable {
    Duration connectTimeout = Duration.ofSeconds(5);
    Duration answerTimeout = Duration.ofSeconds(60);
    Duration upstreamIdle = Duration.ofSeconds(4);
    int upstreamConnections = 512;
    Duration headTimeout = Duration.ofSeconds(60);
    Duration bodyTimeout = Duration.ofSeconds(60);
    int bodyRate = 500;
    Duration passTimeout = Duration.ofMinutes(15);
    int connectionsPerClient;
    int requestsPerClient;
    int headSize = 32 * 1024;
    int connections = 10_000;
    int requests = 5_000;
    long bodiesMemory = Runtime.getRuntime().maxMemory() / 8;
    long answersMemory = Runtime.getRuntime().maxMemory() / 8;
    Duration stopWithin = Duration.ofSeconds(30);
    Duration storeDeadline = Duration.ofSeconds(2);
    OptionalLong pendingMemory = OptionalLong.empty();

    Values copy() {
      try {
        return (Values) clone();
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
