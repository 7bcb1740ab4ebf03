// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.AuditNote;
import io.retrysafe.store.AuditRecord;
import io.retrysafe.store.AuditRecord.Result;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Resolvable.Word;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.Token;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Applies operators' actions. The audit gets a record before the store is changed and another with
 * the result. A crash in between leaves the first one alone, so no change is without a record, and
 * an action whose result nobody recorded is recognisable.
 */
final class Resolver {
  private static final Logger LOG = System.getLogger("io.retrysafe");

  private final Parts parts;
  private final String name;

  Resolver(Parts parts, String name) {
    this.parts = parts;
    this.name = name;
  }

  Resolved resolve(Entry seen, Word word, AuditNote note) {
    Resolvable resolvable =
        parts
            .store()
            .capability(Resolvable.class)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "the store "
                            + parts.store().profile().name()
                            + " supports no changes by operators"));
    Token token = parts.seam().token();
    AuditRecord requested =
        AuditRecord.requested(seen, token, word, note, name, parts.seam().now());
    parts.asking().ask(() -> append(requested));
    try {
      Resolved resolved = apply(resolvable, seen, token, word);
      if (resolved == Resolved.APPLIED) {
        parts.events().emit(kind(word), seen.key(), seen.attempt(), describe(requested));
      }
      appendResult(requested.with(result(resolved)));
      return resolved;
    } catch (NoAnswerException e) {
      appendLater(requested.with(Result.UNKNOWN));
      throw e;
    } catch (RefusedCallException e) {
      appendLater(requested.with(Result.REJECTED));
      throw e;
    } finally {
      // Also without an answer: the action may have been applied, and a wake-up is only a hint.
      parts.waiters().wake(seen.key());
    }
  }

  /**
   * Returns the store's answer. After a call without an answer only {@code APPLIED} is certain: the
   * first call may have been applied, and the entry may have changed since.
   */
  private Resolved apply(Resolvable resolvable, Entry seen, Token token, Word word) {
    AtomicBoolean isRepeated = new AtomicBoolean();
    Resolved resolved =
        parts
            .asking()
            .ask(
                () -> {
                  try {
                    return resolvable.resolve(seen, token, word);
                  } catch (NoAnswerException e) {
                    isRepeated.set(true);
                    throw e;
                  }
                });
    if (resolved != Resolved.APPLIED && isRepeated.get()) {
      throw new NoAnswerException(
          "the store did not answer at first and then refused; the action may have been applied,"
              + " look at the operation again",
          null);
    }
    return resolved;
  }

  private static Result result(Resolved resolved) {
    return switch (resolved) {
      case APPLIED -> Result.APPLIED;
      case LEASED -> Result.LEASED;
      case CHANGED -> Result.CHANGED;
    };
  }

  private static Event.Kind kind(Word word) {
    return word instanceof Word.Forget ? Event.Kind.FORGOTTEN : Event.Kind.RESOLVED;
  }

  private static String describe(AuditRecord action) {
    return action.action() + " by " + action.note().actor() + ": " + action.note().reason();
  }

  /** Appends the result of an applied or refused action, which must not look as if it failed. */
  private void appendResult(AuditRecord action) {
    try {
      parts.asking().ask(() -> append(action));
    } catch (StoreException e) {
      appendLater(action);
    }
  }

  private void appendLater(AuditRecord action) {
    parts.background().audit(() -> append(action));
  }

  private boolean append(AuditRecord action) {
    Optional<History> history = parts.store().capability(History.class);
    if (history.isPresent()) {
      history.get().append(List.of(action.toEvent()));
    } else {
      LOG.log(
          Level.INFO,
          "{0} of {1}: {2}; the store keeps no audit",
          describe(action),
          action.key(),
          action.result());
    }
    return true;
  }
}
