// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static io.retrysafe.EngineWorld.KEY;
import static io.retrysafe.EngineWorld.LAPSE;
import static io.retrysafe.EngineWorld.OTHER_PRINT;
import static io.retrysafe.EngineWorld.PRINT;
import static io.retrysafe.EngineWorld.granted;
import static io.retrysafe.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.retrysafe.store.AuditNote;
import io.retrysafe.store.AuditRecord;
import io.retrysafe.store.AuditRecord.Action;
import io.retrysafe.store.AuditRecord.Result;
import io.retrysafe.store.Entry;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Resolvable.Word;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import io.retrysafe.store.StoreException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An operator's action is applied once, recorded before and after, and told to those who wait. */
class ResolverTest {
  private static final AuditNote ANN = new AuditNote("ann", "asked the bank");
  private static final Word DONE = new Word.Done(text("seen"), Duration.ofDays(1));

  private final EngineWorld world = new EngineWorld();

  private void leftUnknown() {
    world.claimedByACrashedProcess(Policy.create());
    world.seam.advance(LAPSE);
  }

  private Retrysafe operating() {
    return Retrysafe.builder(world.store.behind())
        .seam(world.seam)
        .listener(world.events::add)
        .name("gw-1")
        .build();
  }

  private Entry seen() {
    return world.store.behind().find(KEY).orElseThrow();
  }

  @Test
  void anOperatorSaysWhatBecameOfAnUnknownOperation() {
    leftUnknown();
    Retrysafe engine = operating();

    Resolved resolved =
        engine.resolve(
            seen(),
            new Word.Done(text("seen at the bank"), Duration.ofDays(1)),
            new AuditNote("ann", "asked the bank"));

    assertThat(resolved).isEqualTo(Resolved.APPLIED);
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("seen at the bank")));
    assertThat(world.store.behind().history(KEY).stream().map(AuditRecord::of))
        .map(Optional::orElseThrow)
        .extracting(
            record -> record.note().actor(),
            record -> record.note().reason(),
            AuditRecord::action,
            AuditRecord::process,
            AuditRecord::result)
        .containsExactly(
            tuple("ann", "asked the bank", Action.DONE, "gw-1", Result.REQUESTED),
            tuple("ann", "asked the bank", Action.DONE, "gw-1", Result.APPLIED));
    assertThat(world.kinds()).contains(Event.Kind.RESOLVED);
  }

  @Test
  void waitersAreWokenByAnOperatorsWord() {
    leftUnknown();
    Entry unknown = seen();
    Retrysafe engine = operating();
    Policy patient = Policy.create().waitUpTo(Duration.ofMinutes(1));
    // Somebody else is looking it up just now, so the caller waits.
    Operation looking =
        granted(world.engine.begin(KEY, PRINT, Policy.create().recovery(Recovery.rerun())));
    var waiting = engine.beginAsync(KEY, PRINT, patient, EngineWorld.LOOP);
    looking.leave(io.retrysafe.store.LeaveAs.UNKNOWN);
    assertThat(engine.resolve(unknown, new Word.NotDone(), new AuditNote("ann", "stale")))
        .isEqualTo(Resolved.CHANGED);
    assertThat(waiting).isNotDone();

    engine.resolve(
        seen(),
        new Word.Done(text("asked"), Duration.ofDays(1)),
        new AuditNote("ann", "asked the bank"));
    world.seam.advance(Duration.ZERO);

    assertThat(waiting).isCompletedWithValue(new Decision.Replay(text("asked")));
  }

  @Test
  void anOperatorFreesWhatDidNotHappen() {
    leftUnknown();

    assertThat(
            operating()
                .resolve(seen(), new Word.NotDone(), new AuditNote("ann", "the bank has nothing")))
        .isEqualTo(Resolved.APPLIED);
    assertThat(granted(world.engine.begin(KEY, OTHER_PRINT)).attempt()).isEqualTo(1);
  }

  @Test
  void anOperatorIsRefusedWhileALeaseStands() {
    granted(world.engine.begin(KEY, PRINT));

    assertThat(operating().resolve(seen(), new Word.NotDone(), new AuditNote("ann", "impatient")))
        .isEqualTo(Resolved.LEASED);
    assertThat(world.state()).contains(State.IN_PROGRESS);
    assertThat(world.kinds()).doesNotContain(Event.Kind.RESOLVED);
  }

  @Test
  void anOperatorIsRefusedWhenTheEntryIsAnotherOne() {
    leftUnknown();
    Entry old = seen();
    granted(world.engine.begin(KEY, PRINT, Policy.create().recovery(Recovery.rerun())));
    world.seam.advance(LAPSE);

    assertThat(operating().resolve(old, new Word.NotDone(), new AuditNote("ann", "late")))
        .isEqualTo(Resolved.CHANGED);
  }

  @Test
  void theOldOwnersLateCompletionDoesNotUndoAnOperatorsWord() {
    Operation slow = world.claimedByACrashedProcess(Policy.create());
    world.seam.advance(LAPSE);
    operating()
        .resolve(
            seen(),
            new Word.Done(text("operator's"), Duration.ofDays(1)),
            new AuditNote("ann", "asked"));

    assertThat(slow.complete(text("owner's"))).isEqualTo(new Ending.Superseded(text("operator's")));
  }

  @Test
  void aReasonMustBeGiven() {
    leftUnknown();

    assertThatThrownBy(
            () -> operating().resolve(seen(), new Word.NotDone(), new AuditNote("ann", " ")))
        .hasMessageContaining("reason");
  }

  @Test
  void aReasonOrNameThatNoStoreCanKeepIsRefusedBeforeAnythingIsChanged() {
    leftUnknown();
    Retrysafe engine = operating();

    for (String bad : List.of("a\0", "half \ud83d", "x".repeat(501), "two\nlines")) {
      assertThatThrownBy(
              () -> engine.resolve(seen(), new Word.NotDone(), new AuditNote("ann", bad)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reason");
      assertThatThrownBy(
              () -> engine.resolve(seen(), new Word.NotDone(), new AuditNote(bad, "why")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("actor");
    }
    assertThat(world.state()).contains(State.UNKNOWN);
    assertThat(world.store.behind().history(KEY)).isEmpty();
  }

  @Test
  void aStoreMayTakeNoOperatorsWord() {
    leftUnknown();

    assertThatThrownBy(
            () -> world.engine.resolve(seen(), new Word.NotDone(), new AuditNote("ann", "why")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("flaky");
  }

  @Test
  void anOperatorsForgettingIsAnEventOfItsOwn() {
    leftUnknown();

    operating().resolve(seen(), new Word.Forget(), ANN);

    assertThat(world.kinds()).contains(Event.Kind.FORGOTTEN).doesNotContain(Event.Kind.RESOLVED);
  }

  @Test
  void aRefusedActionIsRecordedAsRefused() {
    world.claimedByACrashedProcess(Policy.create());
    assertThat(operating().resolve(seen(), DONE, ANN)).isEqualTo(Resolved.LEASED);
    Entry old = seen();
    world.seam.advance(LAPSE);
    operating().resolve(seen(), new Word.NotDone(), ANN);
    assertThat(operating().resolve(old, DONE, ANN)).isEqualTo(Resolved.CHANGED);

    assertThat(results())
        .containsExactly(
            Result.REQUESTED,
            Result.LEASED,
            Result.REQUESTED,
            Result.APPLIED,
            Result.REQUESTED,
            Result.CHANGED);
  }

  // A store that fails between the records

  /** What happens to the next calls of {@code resolve}, and of {@code append}. */
  private final List<Fault> resolving = new ArrayList<>();

  private final List<Fault> appending = new ArrayList<>();

  private interface Fault {
    /** Fails as a store may, before or after it runs {@code call}. */
    Object happen(Call call) throws Throwable;
  }

  private interface Call {
    Object run() throws Throwable;
  }

  private static final Fault WORKS = Call::run;
  private static final Fault LOST_CALL =
      call -> {
        throw new NoAnswerException("lost as planned", null);
      };
  private static final Fault LOST_ANSWER =
      call -> {
        call.run();
        throw new NoAnswerException("lost as planned", null);
      };
  private static final Fault REJECTED =
      call -> {
        throw new RefusedCallException("full as planned", null);
      };

  private Retrysafe failing() {
    MemoryStore store = world.store.behind();
    Object proxy =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            MemoryStore.class.getInterfaces(),
            (self, method, arguments) -> {
              if (method.getName().equals("capability")) {
                return InvocationHandler.invokeDefault(self, method, arguments);
              }
              List<Fault> faults =
                  switch (method.getName()) {
                    case "resolve" -> resolving;
                    case "append" -> appending;
                    default -> List.of();
                  };
              Fault fault = faults.isEmpty() ? WORKS : faults.remove(0);
              try {
                return fault.happen(() -> method.invoke(store, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return Retrysafe.builder((Store) proxy)
        .seam(world.seam)
        .listener(world.events::add)
        .sweepEvery(Duration.ZERO)
        .history(false)
        .name("gw-1")
        .build();
  }

  private List<Result> results() {
    return world.store.behind().audit(world.seam.now().plusSeconds(60), 100).stream()
        .map(AuditRecord::of)
        .map(Optional::orElseThrow)
        .map(AuditRecord::result)
        .collect(
            ArrayList::new, (all, each) -> all.add(0, each), (all, more) -> all.addAll(0, more));
  }

  private static List<Fault> always(Fault fault) {
    return new ArrayList<>(java.util.Collections.nCopies(10_000, fault));
  }

  @Test
  void withoutItsFirstRecordAnActionIsNotApplied() {
    leftUnknown();
    appending.addAll(always(LOST_CALL));

    assertThatThrownBy(() -> failing().resolve(seen(), DONE, ANN))
        .isInstanceOf(StoreException.class);

    assertThat(world.state()).contains(State.UNKNOWN);
    assertThat(world.kinds()).doesNotContain(Event.Kind.RESOLVED);
  }

  @Test
  void anActionThatWasAppliedHasARecordEvenIfTheProcessCrashesBeforeTheNext() {
    leftUnknown();
    appending.add(WORKS);
    appending.addAll(always(LOST_CALL));

    assertThat(failing().resolve(seen(), DONE, ANN)).isEqualTo(Resolved.APPLIED);

    assertThat(results()).containsExactly(Result.REQUESTED);
    AuditRecord record = AuditRecord.of(world.store.behind().history(KEY).get(0)).orElseThrow();
    assertThat(record.hasSettled(seen())).as("the entry itself says that it was applied").isTrue();
    assertThat(world.kinds()).contains(Event.Kind.RESOLVED);
    appending.clear();
    world.seam.advance(Duration.ofSeconds(10));
    assertThat(results()).as("in the background").containsExactly(Result.REQUESTED, Result.APPLIED);
  }

  @Test
  void anActionWithoutAnAnswerIsRepeatedUnderTheSameToken() {
    leftUnknown();
    resolving.add(LOST_ANSWER);

    assertThat(failing().resolve(seen(), DONE, ANN)).isEqualTo(Resolved.APPLIED);

    assertThat(results()).containsExactly(Result.REQUESTED, Result.APPLIED);
  }

  @Test
  void aRefusalAfterALostAnswerProvesNothing() {
    leftUnknown();
    resolving.add(LOST_ANSWER);
    resolving.add(
        call -> {
          // Somebody claims what the first call freed.
          granted(world.engine.begin(KEY, OTHER_PRINT));
          return call.run();
        });

    assertThatThrownBy(() -> failing().resolve(seen(), new Word.NotDone(), ANN))
        .isInstanceOf(NoAnswerException.class)
        .hasMessageContaining("may have been applied");

    world.seam.advance(Duration.ofSeconds(10));
    assertThat(results()).containsExactly(Result.REQUESTED, Result.UNKNOWN);
  }

  @Test
  void aRejectedCallIsRecordedAsRejected() {
    leftUnknown();
    resolving.add(REJECTED);

    assertThatThrownBy(() -> failing().resolve(seen(), DONE, ANN))
        .isInstanceOf(RefusedCallException.class);

    world.seam.advance(Duration.ofSeconds(10));
    assertThat(results()).containsExactly(Result.REQUESTED, Result.REJECTED);
  }
}
