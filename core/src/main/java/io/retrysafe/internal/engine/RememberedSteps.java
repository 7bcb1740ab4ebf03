// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Bytes;
import io.retrysafe.ClaimLostException;
import io.retrysafe.Codec;
import io.retrysafe.Compensation;
import io.retrysafe.Event;
import io.retrysafe.Outcome;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.RetrysafeException;
import io.retrysafe.StepLookup;
import io.retrysafe.StepWork;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Steps;
import io.retrysafe.store.StoreException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * The steps of one attempt.
 *
 * Remembering. A step's result is written into the entry before anything after the step happens. An attempt that takes the entry over gets all of
 * them with the grant, so a remembered step is never repeated.
 *
 * Compensating. When the operation fails for good, the failure itself is remembered first, under a reserved name. From
 * then on no attempt goes forward: the work is run again only to walk through its remembered steps, which shows what has to be undone, and ends at the first step that is not there. Each undone step is remembered too.
 */
final class RememberedSteps {
  private static final int LONGEST_NAME = 100;
  private static final int LARGEST_FAILURE = 16 * 1024;
  private static final String RESERVED = "~";
  private static final String FAILED = RESERVED + "failed";
  private static final String UNDONE = RESERVED + "undone ";

  private final EngineContext context;
  private final Owner owner;
  private final int attempt;
  private final Map<String, Bytes> remembered;
  private final Set<String> used = new HashSet<>();
  private final Deque<Undo> undos = new ArrayDeque<>();
  private @Nullable RetrysafeException broken;

  private record Undo(String name, Undoing work) {}

  private interface Undoing {
    void run() throws Exception;
  }

  RememberedSteps(EngineContext context, Owner owner, int attempt, Map<String, Bytes> remembered) {
    this.context = context;
    this.owner = owner;
    this.attempt = attempt;
    this.remembered = new HashMap<>(remembered);
  }

  /** Returns what broke an earlier step off: the claim was lost, or the store did not answer. */
  synchronized Optional<RetrysafeException> broken() {
    return Optional.ofNullable(broken);
  }

  /**
   * Returns whether this attempt came by every step that was remembered, so that it knows what is
   * to be undone.
   */
  synchronized boolean isWalked() {
    return remembered.keySet().stream()
        .allMatch(name -> name.startsWith(RESERVED) || used.contains(name));
  }

  /**
   * Returns whether the operation failed for good and is being undone: then no lookup can say what
   * became of it.
   */
  synchronized boolean isFailed() {
    return remembered.containsKey(FAILED);
  }

  /** Returns the failure that is being compensated. */
  synchronized Optional<Outcome> failure() {
    return Optional.ofNullable(remembered.get(FAILED))
        .map(bytes -> OutcomeFormat.read(bytes.toArray()));
  }

  <T extends @Nullable Object, X extends Exception> T run(
      String name,
      Codec<T> codec,
      @Nullable StepLookup<T> lookup,
      StepWork<T, X> work,
      @Nullable Compensation<T> undo)
      throws X {
    use(name);
    Bytes known = known(name);
    if (known == null && lookup != null && attempt > 1) {
      known = lookUp(name, codec, lookup);
    }
    T result;
    if (known != null) {
      result = codec.decode(known);
    } else {
      Optional<Outcome> failure = failure();
      if (failure.isPresent()) {
        throw Outcomes.failure(owner.key(), failure.get());
      }
      result = work.run();
      remember(name, codec.encode(result));
      context.events().emit(Event.Kind.STEP, owner.key(), attempt, name);
    }
    if (undo != null) {
      push(new Undo(name, () -> undo.undo(result)));
    }
    return result;
  }

  /** Remembers what an earlier attempt did and could not remember; null if it did not do it. */
  private <T extends @Nullable Object> @Nullable Bytes lookUp(
      String name, Codec<T> codec, StepLookup<T> lookup) {
    Optional<? extends T> found;
    try {
      found = lookup.find();
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      // Whether it happened or not: to go on would repeat it, or leave it out.
      throw breaking(new OutcomeUnknownException(owner.key(), e));
    }
    if (found.isEmpty()) {
      return null;
    }
    Bytes result = codec.encode(found.get());
    remember(name, result);
    context.events().emit(Event.Kind.STEP, owner.key(), attempt, name + ", found by its lookup");
    return result;
  }

  /** Returns whether there is anything that {@link #compensate} would undo. */
  boolean isUndoing() {
    return !pending().isEmpty();
  }

  /**
   * Undoes what the steps of this attempt have to undo, last first, and goes on where an earlier
   * attempt stopped.
   */
  void compensate(Outcome failure) throws Exception {
    if (known(FAILED) == null && !pending().isEmpty()) {
      boolean fits = !OutcomeFormat.isLargerThan(failure, LARGEST_FAILURE);
      remember(FAILED, Bytes.wrap(OutcomeFormat.write(fits ? failure : failure.withoutAnswer())));
    }
    for (Undo undo : pending()) {
      if (known(UNDONE + undo.name) == null) {
        undo.work.run();
        remember(UNDONE + undo.name, Bytes.EMPTY);
        context.events().emit(Event.Kind.COMPENSATED, owner.key(), attempt, undo.name);
      }
    }
  }

  private void remember(String name, Bytes result) {
    Steps steps = context.store().capability(Steps.class).orElse(null);
    if (steps == null) {
      throw new IllegalStateException(
          "the store "
              + context.store().profile().name()
              + " cannot remember steps; use one that can");
    }
    boolean mine;
    try {
      mine = context.retries().ask(() -> steps.step(owner, name, result));
    } catch (StoreException e) {
      context
          .events()
          .emit(Event.Kind.UNAVAILABLE, owner.key(), attempt, "remembering " + name + ": " + e);
      throw breaking(new StoreUnavailableException(owner.key(), true, e));
    }
    if (!mine) {
      throw breaking(new ClaimLostException(owner.key()));
    }
    synchronized (this) {
      remembered.put(name, result);
    }
  }

  private synchronized RetrysafeException breaking(RetrysafeException by) {
    broken = by;
    return by;
  }

  private synchronized @Nullable Bytes known(String name) {
    return remembered.get(name);
  }

  private synchronized void push(Undo undo) {
    undos.push(undo);
  }

  private synchronized Deque<Undo> pending() {
    return new ArrayDeque<>(undos);
  }

  private synchronized void use(String name) {
    if (name.isEmpty()
        || name.length() > LONGEST_NAME
        || name.startsWith(RESERVED)
        || name.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw new IllegalArgumentException(
          "a step's name is 1 to "
              + LONGEST_NAME
              + " visible ASCII characters and does not begin with ~");
    }
    if (!used.add(name)) {
      throw new IllegalStateException(
          "step \"" + name + "\" was used twice in one attempt; give every step its own name");
    }
  }
}
