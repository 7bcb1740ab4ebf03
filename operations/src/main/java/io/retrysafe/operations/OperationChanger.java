// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.Outcome;
import io.retrysafe.Retrysafe;
import io.retrysafe.operations.RefusedException.Reason;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Resolvable.Word;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import java.util.List;

/** Checks requested changes against what the store holds, and has the engine apply them. */
final class OperationChanger {
  private final Store store;
  private final Retrysafe engine;

  OperationChanger(Store store, Retrysafe engine) {
    this.store = store;
    this.engine = engine;
  }

  Change resolve(Entry entry, Verdict verdict, ChangeRequest request) {
    check(entry, request);
    if (entry.outcome().isPresent()) {
      throw new RefusedException(
          Reason.SETTLED,
          "The operation is %s since %s and answered %d; there is nothing to resolve."
              .formatted(entry.state(), leaseEnd(entry), entry.outcome().get().status()));
    }
    if (verdict instanceof Verdict.Done done) {
      if (done.status() == 0 && Endpoint.isHttp(entry.key().scope())) {
        throw new IllegalArgumentException(
            "status is needed: retries of "
                + Endpoint.of(entry.key().scope())
                + " are answered with it");
      }
      Outcome outcome = Outcome.of(done.status(), done.headers(), done.body());
      String what = "done" + (done.status() == 0 ? "" : " with " + done.status());
      apply(entry, new Word.Done(outcome, done.retention()), request);
      return change(entry, what + ": retries get this answer from now on", request);
    }
    apply(entry, new Word.NotDone(), request);
    return change(
        entry,
        entry.state() == State.RESUMABLE
            ? "not done: the next retry continues after the last remembered step"
            : "not done: the next retry runs it",
        request);
  }

  Change forget(Entry entry, ChangeRequest request) {
    check(entry, request);
    apply(entry, new Word.Forget(), request);
    return change(entry, "forgotten: the next request with this key is the first", request);
  }

  private static Change change(Entry entry, String what, ChangeRequest request) {
    return new Change(new OperationId(entry.key()), what, request.note());
  }

  private void check(Entry entry, ChangeRequest request) {
    if (store.capability(Resolvable.class).isEmpty()) {
      throw new RefusedException(
          Reason.NOT_SUPPORTED, store.profile().name() + " supports no changes by operators.");
    }
    if (request.fence().isPresent() && request.fence().getAsLong() != entry.fence()) {
      throw new RefusedException(
          Reason.CHANGED,
          "The operation was claimed again since it had the fence %d; now it is %s with the fence %d."
              .formatted(request.fence().getAsLong(), entry.state(), entry.fence()));
    }
  }

  private void apply(Entry entry, Word word, ChangeRequest request) {
    if (entry.state() == State.IN_PROGRESS) {
      throw leased(entry);
    }
    switch (engine.resolve(entry, word, request.note())) {
      case APPLIED -> {}
      case LEASED -> throw leased(store.find(entry.key()).orElse(entry));
      case CHANGED ->
          throw new RefusedException(
              Reason.CHANGED,
              "The operation has changed in the meantime. Nothing was changed; look at it again.");
    }
  }

  private RefusedException leased(Entry entry) {
    String owner =
        store
            .capability(History.class)
            .map(history -> history.history(entry.key()))
            .orElse(List.of())
            .stream()
            .filter(event -> ExplanationWriter.CLAIMS.contains(event.kind()))
            .reduce((a, b) -> b)
            .map(event -> " by " + event.by())
            .orElse("");
    return new RefusedException(
        Reason.LEASED,
        "The operation is running: leased until %s%s.".formatted(leaseEnd(entry), owner));
  }

  private static String leaseEnd(Entry entry) {
    return Moments.text(entry.times().leaseUntil(), entry.times().readAt());
  }
}
