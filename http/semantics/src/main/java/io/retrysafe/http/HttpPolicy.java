// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.ExpiredKeys;
import io.retrysafe.http.settings.FingerprintRule;
import io.retrysafe.http.settings.KeyFormat;
import io.retrysafe.http.settings.KeyRule;
import io.retrysafe.http.settings.OnFailure;
import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.http.settings.Statuses;
import io.retrysafe.http.settings.StoreSilent;
import io.retrysafe.http.settings.Unmatched;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How requests are guarded: for all routes, or for one. What is not set for a route is as for all
 * routes, and what is not set there has its default. Immutable: every setter returns another
 * policy. The names of all settings, and their defaults, are in {@link Settings}.
 */
public final class HttpPolicy {
  private static final HttpPolicy DEFAULTS = new HttpPolicy(Map.of());

  private final Map<Setting<?>, Object> values;

  private HttpPolicy(Map<Setting<?>, Object> values) {
    this.values = values;
  }

  /** Returns the policy with all defaults. */
  public static HttpPolicy create() {
    return DEFAULTS;
  }

  /**
   * Sets what has this name in files and properties.
   *
   * @param value a string, number, list or map, as a file holds it
   * @throws IllegalArgumentException if there is no such setting, or it does not take the value
   */
  public HttpPolicy with(String name, Object value) {
    return with(Settings.named(name), value);
  }

  /** {@code key}: whether a request needs a key, or what a natural key is made from. */
  public HttpPolicy key(KeyRule key) {
    return with(Settings.KEY, key);
  }

  /** {@code key-header}: the request header that carries the key, Idempotency-Key by default. */
  public HttpPolicy keyHeader(String name) {
    return with(Settings.KEY_HEADER, name);
  }

  /** {@code key-format}: what a key must look like; any by default. */
  public HttpPolicy keyFormat(KeyFormat format) {
    return with(Settings.KEY_FORMAT, format);
  }

  /** {@code expired-keys}: how UUIDv7 and ULID keys older than the retention are treated. */
  public HttpPolicy expiredKeys(ExpiredKeys expiredKeys) {
    return with(Settings.EXPIRED_KEYS, expiredKeys);
  }

  /** {@code anonymous}: what callers without identity get; they are refused by default. */
  public HttpPolicy anonymous(Anonymous anonymous) {
    return with(Settings.ANONYMOUS, anonymous);
  }

  /** {@code fingerprint}: what makes two requests the same; every byte by default. */
  public HttpPolicy fingerprint(FingerprintRule rule) {
    return with(Settings.FINGERPRINT, rule);
  }

  /** {@code fingerprint-headers}: request headers that count too; none by default. */
  public HttpPolicy fingerprintHeaders(List<String> names) {
    return with(Settings.FINGERPRINT_HEADERS, names);
  }

  /** {@code lease}: how long a claim stands without being renewed, 30 s by default. */
  public HttpPolicy lease(Duration lease) {
    return with(Settings.LEASE, lease);
  }

  /** {@code max-running}: for how long a running claim is renewed, 1 h by default. */
  public HttpPolicy maxRunning(Duration maxRunning) {
    return with(Settings.MAX_RUNNING, maxRunning);
  }

  /** {@code retention}: how long an answer is replayed, 24 h by default. */
  public HttpPolicy retention(Duration retention) {
    return with(Settings.RETENTION, retention);
  }

  /** {@code wait}: how long a duplicate waits for the running one; not at all by default. */
  public HttpPolicy wait(Duration wait) {
    return with(Settings.WAIT, wait);
  }

  /** {@code recovery}: what an unknown outcome means for a retry; parked by default. */
  public HttpPolicy recovery(Recovery recovery) {
    return with(Settings.RECOVERY, recovery);
  }

  /** {@code failures}: how a failed handler ends its operation; the failure is kept by default. */
  public HttpPolicy failures(OnFailure failures) {
    return with(Settings.FAILURES, failures);
  }

  /**
   * Which exceptions of a handler leave the outcome unknown; by default as {@link
   * Policy#unknownOn(Predicate)} says. Only in code: a file cannot hold it.
   */
  public HttpPolicy unknownOn(Predicate<Throwable> isUnknown) {
    return with(Settings.UNKNOWN_ON, isUnknown);
  }

  /** {@code refused}: statuses that say that nothing happened. */
  public HttpPolicy refused(Statuses statuses) {
    return with(Settings.REFUSED, statuses);
  }

  /** {@code unknown}: statuses that leave the outcome unknown; none by default. */
  public HttpPolicy unknown(Statuses statuses) {
    return with(Settings.UNKNOWN, statuses);
  }

  /** {@code body-limit}: the largest request body in bytes, 16 MiB by default. */
  public HttpPolicy bodyLimit(long bytes) {
    return with(Settings.BODY_LIMIT, bytes);
  }

  /** {@code body-memory}: how much of a request body is held in memory, 1 MiB by default. */
  public HttpPolicy bodyMemory(long bytes) {
    return with(Settings.BODY_MEMORY, bytes);
  }

  /** {@code answer-limit}: the largest body that is kept for replay, 1 MiB by default. */
  public HttpPolicy answerLimit(long bytes) {
    return with(Settings.ANSWER_LIMIT, bytes);
  }

  /** {@code never-stored}: response headers that are not replayed, instead of the default list. */
  public HttpPolicy neverStored(List<String> names) {
    return with(Settings.NEVER_STORED, names);
  }

  /** {@code in-progress-status}: 409, the default, or 425. */
  public HttpPolicy inProgressStatus(int status) {
    return with(Settings.IN_PROGRESS_STATUS, status);
  }

  /** {@code key-reused-status}: 422, the default, or 400. */
  public HttpPolicy keyReusedStatus(int status) {
    return with(Settings.KEY_REUSED_STATUS, status);
  }

  /** {@code store-silent}: how requests are treated meanwhile; refused by default. */
  public HttpPolicy storeSilent(StoreSilent storeSilent) {
    return with(Settings.STORE_SILENT, storeSilent);
  }

  /** {@code unmatched}: how requests are treated that no route matches; they pass by default. */
  public HttpPolicy unmatched(Unmatched unmatched) {
    return with(Settings.UNMATCHED, unmatched);
  }

  /** {@code problem-base}: what the types of problems begin with. */
  public HttpPolicy problemBase(String base) {
    return with(Settings.PROBLEM_BASE, base);
  }

  /** {@code running-per-account}: how many run at once in this process, 1,000 by default. */
  public HttpPolicy runningPerAccount(int count) {
    return with(Settings.RUNNING_PER_ACCOUNT, count);
  }

  /** {@code waiters}: how many duplicates wait at once in this process, 1,000 by default. */
  public HttpPolicy waiters(int count) {
    return with(Settings.WAITERS, count);
  }

  /** {@code entries-per-account}: how many operations an account may hold; 0, no limit. */
  public HttpPolicy entriesPerAccount(int count) {
    return with(Settings.ENTRIES_PER_ACCOUNT, count);
  }

  /** {@code bytes-per-account}: how many bytes an account may hold; 0, no limit, by default. */
  public HttpPolicy bytesPerAccount(long bytes) {
    return with(Settings.BYTES_PER_ACCOUNT, bytes);
  }

  /** {@code store-limit}: how many bytes the store may hold in all; 0, no limit, by default. */
  public HttpPolicy storeLimit(long bytes) {
    return with(Settings.STORE_LIMIT, bytes);
  }

  /** Returns the value of a setting. */
  @SuppressWarnings("unchecked") // a value is only put under the setting that read it
  public <T> T get(Setting<T> setting) {
    Object value = values.get(setting);
    return value == null ? setting.standard() : (T) value;
  }

  /** Returns this policy with what it does not set taken from {@code all}. */
  public HttpPolicy over(HttpPolicy all) {
    values.keySet().stream()
        .filter(Setting::isShared)
        .findFirst()
        .ifPresent(
            setting -> {
              throw new IllegalArgumentException(
                  setting.name() + " holds for all routes; set it there, not for one route");
            });
    Map<Setting<?>, Object> merged = new HashMap<>(all.values);
    merged.putAll(values);
    return new HttpPolicy(Map.copyOf(merged));
  }

  /** Returns what the engine has to know of this policy. */
  public Policy toEngine() {
    io.retrysafe.OnFailure failures =
        switch (get(Settings.FAILURES)) {
          case KEEP -> io.retrysafe.OnFailure.KEEP;
          case RELEASE, SUCCESS_ONLY -> io.retrysafe.OnFailure.RELEASE;
          case RESUME -> io.retrysafe.OnFailure.RESUME;
          case UNKNOWN -> io.retrysafe.OnFailure.UNKNOWN;
        };
    return Policy.create()
        .lease(get(Settings.LEASE))
        .maxRunning(get(Settings.MAX_RUNNING))
        .retention(get(Settings.RETENTION))
        .waitUpTo(get(Settings.WAIT))
        .recovery(get(Settings.RECOVERY))
        .failures(failures)
        .unknownOn(get(Settings.UNKNOWN_ON))
        .largestAnswer(get(Settings.ANSWER_LIMIT).intValue());
  }

  private HttpPolicy with(Setting<?> setting, Object value) {
    Map<Setting<?>, Object> changed = new HashMap<>(values);
    changed.put(setting, setting.read(value));
    HttpPolicy policy = new HttpPolicy(Map.copyOf(changed));
    // The engine checks its own: a lease that is not positive is refused here, not at the first
    // request.
    Policy unused = policy.toEngine();
    return policy;
  }
}
