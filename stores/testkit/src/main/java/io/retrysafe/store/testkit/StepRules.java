// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Previous;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Standing;
import io.retrysafe.store.Steps;
import io.retrysafe.store.TakeOver;
import io.retrysafe.testkit.Rule;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What an operation remembers, so that its next attempt does not repeat it. */
abstract class StepRules extends Rules {
  private static final Bytes RESULT = Bytes.utf8("charge_1");

  private final Steps steps;
  private final Steps others;

  StepRules(StoreFixture fixture) {
    super(fixture);
    this.steps = offered(store, Steps.class);
    this.others = offered(second, Steps.class);
  }

  /** Returns the claim of an entry with the step "charge". */
  private Claim withStep() {
    Claim owner = running();
    assertThat(steps.step(owner.owner(), "charge", RESULT)).isTrue();
    return owner;
  }

  private Map<String, Bytes> stepsOfNextAttempt(OperationKey key) {
    return granted(second.claim(claim(key, TakeOver.ALWAYS))).steps();
  }

  @Rule("C-66")
  void theNextAttemptGetsWhatEarlierOnesRemembered() {
    Claim first = withStep();
    fixture.advance(LEASE.plus(MARGIN));
    Claim heir = claim(first.key(), TakeOver.ALWAYS);
    assertThat(granted(second.claim(heir)).steps()).isEqualTo(Map.of("charge", RESULT));
    assertThat(others.step(heir.owner(), "mail", Bytes.EMPTY)).isTrue();
    assertThat(second.release(heir.owner(), LeaveAs.RESUMABLE)).isTrue();

    assertThat(stepsOfNextAttempt(first.key()))
        .isEqualTo(Map.of("charge", RESULT, "mail", Bytes.EMPTY));
  }

  @Rule("C-67")
  void theFirstWriteOfAStepWins() {
    Claim owner = withStep();

    assertThat(others.step(owner.owner(), "charge", Bytes.utf8("charge_2"))).isTrue();

    assertThat(grant(owner).steps()).isEqualTo(Map.of("charge", RESULT));
  }

  @Rule("C-68")
  void onlyTheOwnerOfAnUnsettledEntryRemembers() {
    OperationKey never = freshKey();
    assertThat(steps.step(new Owner(never, freshToken()), "mail", RESULT)).isFalse();
    assertAbsent(never);
    assertThat(steps.step(settled().owner(), "mail", RESULT)).isFalse();
    assertThat(steps.step(released(LeaveAs.FREE).owner(), "mail", RESULT)).isFalse();

    Claim owner = withStep();
    assertThat(steps.step(new Owner(owner.key(), freshToken()), "mail", RESULT)).isFalse();
    assertThat(grant(owner).steps()).containsOnlyKeys("charge");
  }

  @Rule("C-69")
  void aLateStepIsWelcomeUntilSomebodyTakesOver() {
    Claim lapsed = lapsed();
    assertThat(steps.step(lapsed.owner(), "mail", RESULT)).isTrue();
    assertThat(stepsOfNextAttempt(lapsed.key())).containsOnlyKeys("mail");

    for (LeaveAs how : new LeaveAs[] {LeaveAs.RESUMABLE, LeaveAs.UNKNOWN}) {
      Claim left = released(how);
      assertThat(steps.step(left.owner(), "mail", RESULT)).isTrue();
      assertThat(stepsOfNextAttempt(left.key())).containsOnlyKeys("mail");
    }
  }

  @Rule("C-70")
  void anEntryWithStepsIsLeftResumableInsteadOfFreed() {
    Claim owner = withStep();

    assertThat(store.release(owner.owner(), LeaveAs.FREE)).isTrue();
    assertThat(second.release(owner.owner(), LeaveAs.FREE)).isTrue();

    assertThat(entry(owner.key()).standing()).isEqualTo(Standing.RESUMABLE);
    Granted granted = granted(second.claim(claim(owner.key())));
    assertThat(granted.previous()).isEqualTo(Previous.RESUMABLE);
    assertThat(granted.steps()).isEqualTo(Map.of("charge", RESULT));
  }

  @Rule("C-26")
  void aTakeoverOfAnUnknownWithStepsThatIsReleasedAsFreeIsUnknownAgain() {
    Claim owner = withStep();
    assertThat(store.release(owner.owner(), LeaveAs.UNKNOWN)).isTrue();
    Claim heir = takeOver(owner.key());

    assertThat(store.release(heir.owner(), LeaveAs.FREE)).isTrue();

    assertThat(entry(owner.key()).standing()).isEqualTo(Standing.UNKNOWN);
    assertThat(store.claim(claim(owner.key()))).isInstanceOf(Held.class);
  }

  @Rule("C-71")
  void renewalAndRepeatedClaimsKeepTheSteps() {
    Claim owner = withStep();
    Granted granted = granted(second.claim(owner));
    assertThat(granted.steps()).isEqualTo(Map.of("charge", RESULT));
    assertThat(renews(store, owner.owner(), LEASE)).isTrue();

    assertThat(granted(second.claim(owner))).isEqualTo(granted);
  }

  @Rule("C-72")
  void namesAndResultsComeBackAsTheyWere() {
    Map<String, Bytes> remembered = new LinkedHashMap<>();
    byte[] anything = new byte[256];
    for (int i = 0; i < anything.length; i++) {
      anything[i] = (byte) i;
    }
    List<String> names =
        List.of("a", "A", "a b", "a.b[0]", "$.a", "'\"\\;--", "s:%00", "naïve ✓", "\uD83D\uDE00");
    names.forEach(name -> remembered.put(name, Bytes.copyOf(anything)));
    remembered.put("empty", Bytes.EMPTY);
    Claim owner = running();

    remembered.forEach(
        (name, result) -> assertThat(steps.step(owner.owner(), name, result)).isTrue());

    assertThat(granted(second.claim(owner)).steps()).isEqualTo(remembered);
  }

  @Rule("C-73")
  void stepsFitUpToTheDeclaredSizeAndNoFurther() {
    Claim owner = withStep();
    int taken = "charge".getBytes(StandardCharsets.UTF_8).length + RESULT.size();
    byte[] rest = new byte[steps.largestSteps() - taken - "rest".length()];
    new Random(74).nextBytes(rest);
    Entry before = entry(owner.key());

    assertThatThrownBy(
            () -> steps.step(owner.owner(), "rest", Bytes.wrap(new byte[rest.length + 1])))
        .isInstanceOf(RefusedCallException.class);
    // Far beyond it too: within the time of a call, and not as "no answer".
    assertThatThrownBy(
            () -> steps.step(owner.owner(), "rest", Bytes.wrap(new byte[20 * 1024 * 1024])))
        .isInstanceOf(RefusedCallException.class);
    assertUnchanged(before);
    assertThat(steps.step(owner.owner(), "rest", Bytes.wrap(rest))).isTrue();

    assertThatThrownBy(() -> steps.step(owner.owner(), "m", Bytes.EMPTY))
        .isInstanceOf(RefusedCallException.class);
    assertThat(steps.step(owner.owner(), "charge", Bytes.utf8("again"))).isTrue();
    assertThat(granted(second.claim(owner)).steps())
        .isEqualTo(Map.of("charge", RESULT, "rest", Bytes.wrap(rest)));
  }

  @Rule("C-106")
  void aNameThatIsNotWellFormedIsRefused() {
    Claim owner = withStep();
    Entry before = entry(owner.key());

    for (String name : List.of("charge\ud800", "\udc00", "a\udc00\ud800b", "\ud83d")) {
      assertThatThrownBy(() -> steps.step(owner.owner(), name, RESULT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Unicode");
    }

    assertUnchanged(before);
    assertThat(grant(owner).steps()).isEqualTo(Map.of("charge", RESULT));
    assertThat(steps.step(owner.owner(), "\ud83d\ude00", RESULT)).isTrue();
  }

  @Rule("C-74")
  void aNewEntryHasNoSteps() {
    Claim owner = withStep();
    assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();
    fixture.advance(RETENTION.plus(MARGIN));

    assertThat(stepsOfNextAttempt(owner.key())).isEmpty();
  }

  @Rule("C-75")
  void stepsOfManyThreadsAreAllRemembered() {
    Claim owner = running();
    try (Crowd crowd = new Crowd(16)) {
      crowd.call(
          i ->
              Crowd.patiently(
                  () -> (i % 2 == 0 ? steps : others).step(owner.owner(), "step " + i, RESULT)));
    }

    assertThat(granted(second.claim(owner)).steps()).hasSize(16);
  }
}
