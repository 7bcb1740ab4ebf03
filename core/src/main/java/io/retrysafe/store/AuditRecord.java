// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.OperationKey;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One record of the audit: an operator's action on one operation. Every action has two: the engine
 * writes the first before it changes anything ({@link Result#REQUESTED}), and the second with the
 * result. Both have the same id and the same time, so that no page of the audit separates them.
 *
 * <p>A store keeps a record as an event of the kind {@link History#RESOLVED}. The event's detail is
 * one line: {@code audit/1}, then pairs of name and value, then the reason, which takes the rest of
 * the line. Readers ignore names that they do not know, so a later release may add some; a form
 * that older releases must not read gets another number.
 *
 * @param id names the action; an entry that the action settled has a token that begins with it
 * @param key the operation
 * @param at when the action was requested, on the clock of the process that took it
 * @param note who and why
 * @param action what the operator says about the operation, or wants done with it
 * @param status the status of the answer that the operator gave for {@link Action#DONE}, if any
 * @param fence the fence of the entry that the operator saw
 * @param process the name of the engine that took the action
 * @param result what became of the action
 */
public record AuditRecord(
    String id,
    OperationKey key,
    Instant at,
    AuditNote note,
    Action action,
    OptionalInt status,
    long fence,
    String process,
    Result result) {
  private static final String FORM = "audit/1";
  private static final String REASON = " reason=";

  /** What an operator can do. */
  public enum Action {
    /** The operator says that the effect happened. */
    DONE,
    /** The operator says that the effect did not happen. */
    NOT_DONE,
    /** The operator wants the operation to be forgotten. */
    FORGET
  }

  /** What became of an action. */
  public enum Result {
    /** Nothing yet. If no other record of the action exists, its result was never recorded. */
    REQUESTED,
    /** The store applied it. */
    APPLIED,
    /** The store refused it, because the operation was running. Nothing was changed. */
    LEASED,
    /** The store refused it, because the entry was not the one seen. Nothing was changed. */
    CHANGED,
    /** The store rejected the call, because it was full or read-only. Nothing was changed. */
    REJECTED,
    /** The store did not answer in time. The action may have been applied. */
    UNKNOWN
  }

  public AuditRecord {
    at = at.truncatedTo(ChronoUnit.MICROS);
  }

  /** Returns the record of an action that is about to be tried. */
  public static AuditRecord requested(
      Entry seen, Token token, Resolution resolution, AuditNote note, String process, Instant at) {
    Action action;
    OptionalInt status = OptionalInt.empty();
    if (resolution instanceof Resolution.Done done) {
      action = Action.DONE;
      status =
          done.outcome().status() == 0
              ? OptionalInt.empty()
              : OptionalInt.of(done.outcome().status());
    } else {
      action = resolution instanceof Resolution.Forget ? Action.FORGET : Action.NOT_DONE;
    }
    return new AuditRecord(
        id(token), seen.key(), at, note, action, status, seen.fence(), process, Result.REQUESTED);
  }

  /** Returns the second record of the same action. */
  public AuditRecord with(Result result) {
    return new AuditRecord(id, key, at, note, action, status, fence, process, result);
  }

  /** Returns whether this action gave {@code entry} the state that it has. */
  public boolean hasSettled(Entry entry) {
    return action == Action.DONE && entry.outcome().isPresent() && id.equals(id(entry.token()));
  }

  /** Half of a token tells actions apart, and is no proof of a claim. */
  private static String id(Token token) {
    return "%016x".formatted(token.high());
  }

  /** Returns the event that a store keeps. */
  public History.Event toEvent() {
    StringBuilder detail = new StringBuilder(FORM);
    put(detail, "id", id);
    put(detail, "result", name(result));
    put(detail, "action", name(action));
    status.ifPresent(code -> put(detail, "status", String.valueOf(code)));
    put(detail, "fence", String.valueOf(fence));
    put(detail, "process", URLEncoder.encode(process, StandardCharsets.UTF_8));
    detail.append(REASON).append(note.reason());
    return new History.Event(key, History.RESOLVED, note.actor(), at, at, 1, detail.toString());
  }

  /** Returns the record that {@code event} keeps; empty if it keeps none that is readable here. */
  public static Optional<AuditRecord> of(History.Event event) {
    int end = event.detail().indexOf(REASON);
    if (!event.kind().equals(History.RESOLVED)
        || !event.detail().startsWith(FORM + " ")
        || end < 0) {
      return Optional.empty();
    }
    Map<String, String> values = new HashMap<>();
    for (String pair : event.detail().substring(FORM.length(), end).strip().split(" ", -1)) {
      int equals = pair.indexOf('=');
      values.put(pair.substring(0, Math.max(0, equals)), pair.substring(equals + 1));
    }
    try {
      String status = values.get("status");
      return Optional.of(
          new AuditRecord(
              value(values, "id"),
              event.key(),
              event.first(),
              new AuditNote(event.by(), event.detail().substring(end + REASON.length())),
              Action.valueOf(value(values, "action").toUpperCase(Locale.ROOT)),
              status == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(status)),
              Long.parseLong(value(values, "fence")),
              URLDecoder.decode(value(values, "process"), StandardCharsets.UTF_8),
              Result.valueOf(value(values, "result").toUpperCase(Locale.ROOT))));
    } catch (IllegalArgumentException e) {
      // A later release may know more actions and results than this one.
      return Optional.empty();
    }
  }

  private static void put(StringBuilder detail, String name, String value) {
    detail.append(' ').append(name).append('=').append(value);
  }

  private static String value(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("an audit record needs " + name);
    }
    return value;
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
