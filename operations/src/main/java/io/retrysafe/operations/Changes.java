// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.Outcome;
import io.retrysafe.operations.RefusedException.Reason;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Resolvable.Word;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import io.retrysafe.store.Token;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What an operator changes about one operation. The audit is written first: it may name a change
 * that the store then refused, and says so, but no change is missing from it.
 */
final class Changes {
  private static final int TRIES = 3;
  private static final Pattern REFUSAL =
      Pattern.compile("(done( with [0-9]+)?|not done|forgotten) was refused: [a-z]+");

  private final Store store;
  private final Resolvable resolvable;
  private final OperationId id;

  Changes(Store store, Resolvable resolvable, OperationId id) {
    this.store = store;
    this.resolvable = resolvable;
    this.id = id;
  }

  /** Returns whether the audit says with {@code detail} that the word before it had no effect. */
  static boolean isRefusal(String detail) {
    return REFUSAL.matcher(detail).matches();
  }

  /** Returns whether {@code detail} is an operator's word that the effect happened. */
  static boolean isDone(String detail) {
    return detail.toLowerCase(Locale.ROOT).startsWith("done");
  }

  Change resolve(Entry seen, Verdict verdict, Because because) {
    if (seen.outcome().isPresent()) {
      throw new RefusedException(
          Reason.SETTLED,
          "The operation is %s since %s and answered %d; there is nothing to resolve."
              .formatted(
                  seen.state(),
                  at(seen, seen.times().leaseUntil()),
                  seen.outcome().get().status()));
    }
    if (verdict instanceof Verdict.Done done) {
      if (done.status() == 0 && Endpoint.isHttp(seen.key().scope())) {
        throw new IllegalArgumentException(
            "status is needed: retries of "
                + Endpoint.of(seen.key().scope())
                + " are answered with it");
      }
      Outcome outcome = Outcome.of(done.status(), done.headers(), done.body());
      String what = "done" + (done.status() == 0 ? "" : " with " + done.status());
      return apply(seen, new Word.Done(outcome, done.retention()), what, because);
    }
    return apply(seen, new Word.NotDone(), "not done", because);
  }

  Change forget(Entry seen, Because because) {
    return apply(seen, new Word.Forget(), "forgotten", because);
  }

  private Change apply(Entry seen, Word word, String what, Because because) {
    if (seen.state() == State.IN_PROGRESS) {
      throw leased(seen);
    }
    Instant now = seen.times().readAt();
    record(now, what + ": " + because.reason(), because);
    Resolved resolved = ask(seen, Token.of(UUID.randomUUID()), word);
    if (resolved == Resolved.APPLIED) {
      return new Change(id, told(seen, word, what), because);
    }
    record(
        now.plusNanos(1000),
        what + " was refused: " + resolved.name().toLowerCase(Locale.ROOT),
        because);
    throw resolved == Resolved.LEASED
        ? leased(store.find(seen.key()).orElse(seen))
        : new RefusedException(
            Reason.CHANGED,
            "The operation changed while you decided; look at it again. Nothing was changed.");
  }

  private static String told(Entry seen, Word word, String what) {
    if (word instanceof Word.Done) {
      return what + ": retries get this answer from now on";
    }
    if (word instanceof Word.Forget) {
      return what + ": the next request with this key is the first";
    }
    return seen.state() == State.RESUMABLE
        ? what + ": the next retry goes on after the last remembered step"
        : what + ": the next retry runs it";
  }

  /** A word that got no answer is said again, under the same token. */
  private Resolved ask(Entry seen, Token token, Word word) {
    for (int i = 1; ; i++) {
      try {
        return resolvable.resolve(seen, token, word);
      } catch (NoAnswerException e) {
        if (i == TRIES) {
          throw e;
        }
      }
    }
  }

  private RefusedException leased(Entry entry) {
    String owner =
        store
            .capability(History.class)
            .map(history -> history.history(entry.key()))
            .orElse(List.of())
            .stream()
            .filter(event -> event.kind().equals("claimed") || event.kind().equals("taken_over"))
            .reduce((a, b) -> b)
            .map(event -> " by " + event.by())
            .orElse("");
    return new RefusedException(
        Reason.LEASED,
        "The operation is running: leased until %s%s."
            .formatted(at(entry, entry.times().leaseUntil()), owner));
  }

  private void record(Instant at, String detail, Because because) {
    store
        .capability(History.class)
        .ifPresent(
            history ->
                history.append(
                    List.of(
                        new History.Event(
                            id.key(), History.RESOLVED, because.actor(), at, at, 1, detail))));
  }

  private static String at(Entry entry, Instant moment) {
    return Moments.text(moment, entry.times().readAt());
  }
}
