// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Event;
import io.retrysafe.store.AuditNote;
import io.retrysafe.store.AuditRecord;
import io.retrysafe.store.AuditRecord.Result;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Resolvable.Resolved;
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
 * an action without a recorded result is recognisable.
 */
final class Resolver {
  private static final Logger LOG = System.getLogger("io.retrysafe");

  private final EngineContext context;
  private final String name;

  Resolver(EngineContext context, String name) {
    this.context = context;
    this.name = name;
  }

  Resolved resolve(Entry seen, Resolution resolution, AuditNote note) {
    Resolvable resolvable =
        context
            .store()
            .capability(Resolvable.class)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "the store "
                            + context.store().profile().name()
                            + " supports no changes by operators"));
    Token token = context.runtime().token();
    AuditRecord requested =
        AuditRecord.requested(seen, token, resolution, note, name, context.runtime().now());
    context.retries().ask(() -> append(requested));
    try {
      Resolved resolved = apply(resolvable, seen, token, resolution);
      if (resolved == Resolved.APPLIED) {
        context.events().emit(kind(resolution), seen.key(), seen.attempt(), describe(requested));
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
      context.waiters().wake(seen.key());
    }
  }

  /**
   * Returns the store's answer. After a call without an answer only {@code APPLIED} is certain: the
   * first call may have been applied, and the entry may have changed since.
   */
  private Resolved apply(Resolvable resolvable, Entry seen, Token token, Resolution resolution) {
    AtomicBoolean isRepeated = new AtomicBoolean();
    Resolved resolved =
        context
            .retries()
            .ask(
                () -> {
                  try {
                    return resolvable.resolve(seen, token, resolution);
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

  private static Event.Kind kind(Resolution resolution) {
    return resolution instanceof Resolution.Forget ? Event.Kind.FORGOTTEN : Event.Kind.RESOLVED;
  }

  private static String describe(AuditRecord action) {
    return action.action() + " by " + action.note().actor() + ": " + action.note().reason();
  }

  /** Appends the result of an applied or refused action, which must not look as if it failed. */
  private void appendResult(AuditRecord action) {
    try {
      context.retries().ask(() -> append(action));
    } catch (StoreException e) {
      appendLater(action);
    }
  }

  private void appendLater(AuditRecord action) {
    context.pendingWrites().audit(() -> append(action));
  }

  private boolean append(AuditRecord action) {
    Optional<History> history = context.store().capability(History.class);
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
