// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.http.internal.syntax.FieldSyntax;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * All settings of the HTTP rules, as data: {@code HttpPolicy} takes them by name, and documentation
 * and configuration are made from this list.
 */
public final class Settings {
  public static final Setting<KeyRule> KEY =
      new Setting<>(
          "key",
          "required | optional | none | { from: [/pointer, header Name] }",
          KeyRule.BY_METHOD,
          "optional for PUT and DELETE, required for all other unsafe methods",
          "Whether a request needs a key, or what a natural key is made from.",
          KeyRule::read);
  public static final Setting<String> KEY_HEADER =
      new Setting<>(
          "key-header",
          "a header name",
          "Idempotency-Key",
          "Idempotency-Key",
          "The request header that carries the key.",
          Settings::headerName);
  public static final Setting<KeyFormat> KEY_FORMAT =
      new Setting<>(
          "key-format",
          "any | uuid | ulid | { pattern: regular expression }",
          KeyFormat.any(),
          "any",
          "What a key must look like, besides 1 to "
              + OperationKey.LONGEST
              + " visible characters.",
          KeyFormat::read);
  public static final Setting<ExpiredKeys> EXPIRED_KEYS =
      words(
          "expired-keys",
          ExpiredKeys.RUN,
          "How UUIDv7 and ULID keys older than the retention are treated.");
  public static final Setting<Anonymous> ANONYMOUS =
      words("anonymous", Anonymous.REFUSE, "What callers without identity get.");
  public static final Setting<FingerprintRule> FINGERPRINT =
      new Setting<>(
          "fingerprint",
          "raw | json | none | [/pointer, ...]",
          FingerprintRule.raw(),
          "raw",
          "What makes two requests under one key the same request.",
          FingerprintRule::read);
  public static final Setting<List<String>> FINGERPRINT_HEADERS =
      new Setting<>(
          "fingerprint-headers",
          "a list of header names",
          List.of(),
          "[]",
          "Request headers that are part of the fingerprint too.",
          SettingReader::list);
  public static final Setting<Duration> LEASE =
      duration("lease", Duration.ofSeconds(30), "30s", "How long a claim stands without renewal.");
  public static final Setting<Duration> MAX_RUNNING =
      duration(
          "max-running", Duration.ofHours(1), "1h", "For how long a running claim is renewed.");
  public static final Setting<Duration> RETENTION =
      duration("retention", Duration.ofHours(24), "24h", "How long an answer is replayed.");
  public static final Setting<Duration> WAIT =
      new Setting<>(
          "wait",
          "a duration",
          Duration.ZERO,
          "0s",
          "How long a duplicate waits for the running one before it gets in-progress.",
          SettingReader::duration);
  public static final Setting<Recovery> RECOVERY =
      new Setting<>(
          "recovery",
          "park | rerun",
          Recovery.park(),
          "park",
          "What a lapsed or unknown operation means for a retry.",
          Settings::recovery);
  public static final Setting<OnFailure> FAILURES =
      words("failures", OnFailure.KEEP, "How a failed handler ends its operation.");

  /** Not listed with the others, because only code can set it. */
  @SuppressWarnings("unchecked") // only HttpPolicy.unknownOn sets it
  public static final Setting<Predicate<Throwable>> UNKNOWN_ON =
      new Setting<>(
          "unknown-on",
          "a predicate on exceptions",
          Policy.create().unknownOn(),
          "I/O errors and time-outs",
          "Exceptions of a handler that leave the outcome unknown.",
          value -> (Predicate<Throwable>) value);

  public static final Setting<Statuses> REFUSED =
      new Setting<>(
          "refused",
          "a list of statuses",
          Statuses.refusedByDefault(),
          "[400, 401, 403, 413, 415, 422, 425, 429] and 503 with Retry-After",
          "Statuses that say that nothing happened: the key is free again.",
          Statuses::read);
  public static final Setting<Statuses> UNKNOWN =
      new Setting<>(
          "unknown",
          "a list of statuses",
          Statuses.none(),
          "[]",
          "Statuses that leave the outcome unknown: recovery decides.",
          Statuses::read);
  public static final Setting<Long> BODY_LIMIT =
      size("body-limit", 16L << 20, "16MiB", "The largest request body; more gets body-too-large.");
  public static final Setting<Long> BODY_MEMORY =
      size("body-memory", 1L << 20, "1MiB", "How much of a request body is held in memory.");
  public static final Setting<Long> ANSWER_LIMIT =
      size("answer-limit", 1L << 20, "1MiB", "The largest answer that is kept for replay.");
  public static final Setting<List<String>> NEVER_STORED =
      new Setting<>(
          "never-stored",
          "a list of header names, * at the end for any ending",
          List.of(
              "Age",
              "Via",
              "Server-Timing",
              "Traceparent",
              "Tracestate",
              "X-Request-Id",
              "X-Correlation-Id",
              "RateLimit*",
              "X-RateLimit*"),
          "[Age, Via, Server-Timing, Traceparent, Tracestate, X-Request-Id, X-Correlation-Id,"
              + " RateLimit*, X-RateLimit*]",
          "Response headers that are not replayed, besides those that never are.",
          SettingReader::list);
  public static final Setting<Integer> IN_PROGRESS_STATUS =
      new Setting<>(
          "in-progress-status",
          "409 | 425",
          409,
          "409",
          "The status of in-progress.",
          SettingReader.oneOf(409, 425));
  public static final Setting<Integer> KEY_REUSED_STATUS =
      new Setting<>(
          "key-reused-status",
          "422 | 400",
          422,
          "422",
          "The status of key-reused.",
          SettingReader.oneOf(422, 400));
  public static final Setting<StoreSilent> STORE_SILENT =
      words(
          "store-silent",
          StoreSilent.CLOSED,
          "How requests are treated while the store does not answer.");
  public static final Setting<Unmatched> UNMATCHED =
      words("unmatched", Unmatched.PASS, "How requests are treated that no route matches.");
  public static final Setting<String> PROBLEM_BASE =
      new Setting<>(
          "problem-base",
          "a URI without the problem's name",
          "urn:retrysafe:problem:",
          "urn:retrysafe:problem:",
          "What the types of problems begin with.",
          SettingReader::text);
  public static final Setting<Integer> RUNNING_PER_ACCOUNT =
      new Setting<>(
          "running-per-account",
          "a number",
          1000,
          "1000",
          "How many operations of an account run at once in this process; more get"
              + " too-many-operations.",
          SettingReader::count);
  public static final Setting<Integer> WAITERS =
      new Setting<>(
          "waiters",
          "a number",
          1000,
          "1000",
          "How many duplicates wait at once in this process; more get too-many-operations.",
          SettingReader::count);
  public static final Setting<Integer> ENTRIES_PER_ACCOUNT =
      new Setting<>(
          "entries-per-account",
          "a number, 0 for no limit",
          0,
          "0",
          "How many operations of an account the store holds; new ones beyond get quota-exceeded.",
          SettingReader::count);
  public static final Setting<Long> BYTES_PER_ACCOUNT =
      new Setting<>(
          "bytes-per-account",
          "a size, 0 for no limit",
          0L,
          "0",
          "How many bytes of an account the store holds; new operations beyond get quota-exceeded.",
          SettingReader::size);
  public static final Setting<Long> STORE_LIMIT =
      new Setting<>(
          "store-limit",
          "a size, 0 for no limit",
          0L,
          "0",
          "How many bytes the store holds in all; new operations beyond get store-full.",
          SettingReader::size);

  static final Set<Setting<?>> SHARED =
      Set.of(
          UNMATCHED,
          PROBLEM_BASE,
          RUNNING_PER_ACCOUNT,
          WAITERS,
          ENTRIES_PER_ACCOUNT,
          BYTES_PER_ACCOUNT,
          STORE_LIMIT);

  private static final List<Setting<?>> ALL =
      List.of(
          KEY,
          KEY_HEADER,
          KEY_FORMAT,
          EXPIRED_KEYS,
          ANONYMOUS,
          FINGERPRINT,
          FINGERPRINT_HEADERS,
          LEASE,
          MAX_RUNNING,
          RETENTION,
          WAIT,
          RECOVERY,
          FAILURES,
          REFUSED,
          UNKNOWN,
          BODY_LIMIT,
          BODY_MEMORY,
          ANSWER_LIMIT,
          NEVER_STORED,
          IN_PROGRESS_STATUS,
          KEY_REUSED_STATUS,
          STORE_SILENT,
          UNMATCHED,
          PROBLEM_BASE,
          RUNNING_PER_ACCOUNT,
          WAITERS,
          ENTRIES_PER_ACCOUNT,
          BYTES_PER_ACCOUNT,
          STORE_LIMIT);

  private Settings() {}

  /** Returns all settings, in the order in which they should be read. */
  public static List<Setting<?>> all() {
    return ALL;
  }

  /**
   * Returns the setting with this name.
   *
   * @throws IllegalArgumentException if there is none, saying which there are
   */
  public static Setting<?> named(String name) {
    return ALL.stream()
        .filter(setting -> setting.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no setting \"" + name + "\"; there are " + ALL));
  }

  /**
   * Returns a duration as settings are given it: {@code 500ms}, {@code 30s}, {@code 24h}, {@code
   * PT30S}.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Duration duration(Object value) {
    return SettingReader.duration(value);
  }

  /**
   * Returns a number of bytes as settings are given it: {@code 4096}, {@code 64KiB}, {@code 1MiB}.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static long size(Object value) {
    return SettingReader.size(value);
  }

  private static <E extends Enum<E>> Setting<E> words(String name, E standard, String doc) {
    Class<E> type = standard.getDeclaringClass();
    List<String> words =
        List.of(type.getEnumConstants()).stream().map(SettingReader::word).toList();
    return new Setting<>(
        name,
        String.join(" | ", words),
        standard,
        SettingReader.word(standard),
        doc,
        SettingReader.word(type));
  }

  private static Setting<Duration> duration(
      String name, Duration standard, String text, String doc) {
    return new Setting<>(name, "a duration", standard, text, doc, SettingReader::duration);
  }

  private static Setting<Long> size(String name, Long standard, String text, String doc) {
    return new Setting<>(
        name,
        "a size up to 2047MiB",
        standard,
        text,
        doc,
        value -> {
          long size = SettingReader.size(value);
          if (size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("too large");
          }
          return size;
        });
  }

  private static String headerName(Object value) {
    String name = SettingReader.text(value);
    if (!FieldSyntax.isName(name)) {
      throw new IllegalArgumentException("not a header name");
    }
    return name;
  }

  private static Recovery recovery(Object value) {
    if (value instanceof Recovery recovery) {
      return recovery;
    }
    return switch (SettingReader.text(value)) {
      case "park" -> Recovery.park();
      case "rerun" -> Recovery.rerun();
      default -> throw new IllegalArgumentException("no other word is allowed");
    };
  }
}
