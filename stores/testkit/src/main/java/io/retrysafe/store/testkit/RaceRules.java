// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.testkit.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Many callers at one key at once: exactly one gets it. */
abstract class RaceRules extends Rules {
  private static final int CALLERS = 32;
  private static final int HEIRS = 16;
  private static final int ROUNDS = Integer.getInteger("retrysafe.contract.rounds", 50);

  private static final int MIXED_PAIRS = Integer.getInteger("retrysafe.contract.pairs", 60);
  private static final long MIXED_SEED = Long.getLong("retrysafe.contract.seed", System.nanoTime());

  /** What must have come up for a mixed run to mean something. */
  private static final List<String> CORE_ANSWERS =
      List.of(
          "ClaimCall granted over ABSENT",
          "ClaimCall granted over RESUMABLE",
          "ClaimCall granted over UNKNOWN",
          "ClaimCall Held",
          "Complete true",
          "Complete false",
          "Release true",
          "Release false",
          "Renew true",
          "Renew false",
          "Find present",
          "Find absent");

  private static final List<String> STEP_ANSWERS = List.of("Remember true", "Remember false");
  private static final List<String> OPERATOR_ANSWERS =
      List.of("Resolve APPLIED", "Resolve LEASED", "Resolve CHANGED");

  RaceRules(StoreFixture fixture) {
    super(fixture);
  }

  private Store client(int caller) {
    return caller % 2 == 0 ? store : second;
  }

  @Rule("C-46")
  void ofManyClaimersExactlyOneIsGranted() {
    try (Crowd crowd = new Crowd(CALLERS)) {
      for (int round = 0; round < ROUNDS; round++) {
        Granted granted = assertOneGranted(crowd, CALLERS, freshKey(), TakeOver.ALWAYS);
        assertThat(granted.attempt()).isEqualTo(1);
      }
    }
  }

  @Rule("C-47")
  void ofManyClaimersOfALapsedEntryExactlyOneTakesOver() {
    assertOneHeir(this::running);
  }

  @Rule("C-48")
  void ofManyClaimersOfAResumableEntryExactlyOneGoesOn() {
    assertOneHeir(() -> released(LeaveAs.RESUMABLE));
  }

  private void assertOneHeir(Supplier<Claim> entries) {
    List<Claim> owners = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      owners.add(entries.get());
    }
    fixture.advance(LEASE.plus(MARGIN));
    try (Crowd crowd = new Crowd(HEIRS)) {
      for (Claim owner : owners) {
        long fence = entry(owner.key()).fence();
        Granted granted = assertOneGranted(crowd, HEIRS, owner.key(), TakeOver.ALWAYS);
        assertThat(granted.attempt()).isEqualTo(2);
        assertThat(granted.fence()).isGreaterThan(fence);
      }
    }
  }

  @Rule("C-49")
  void ofManyClaimersOfAFreedOrExpiredKeyExactlyOneIsGranted() {
    List<Claim> ended = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      ended.add(round % 2 == 0 ? settled() : running());
    }
    fixture.advance(RETENTION.plus(MARGIN));
    try (Crowd crowd = new Crowd(HEIRS)) {
      for (Claim owner : ended) {
        store.release(owner.owner(), LeaveAs.FREE);
        Granted granted = assertOneGranted(crowd, HEIRS, owner.key(), TakeOver.NONE);
        assertThat(granted.attempt()).isEqualTo(1);
      }
    }
  }

  private Granted assertOneGranted(Crowd crowd, int callers, OperationKey key, TakeOver takeOver) {
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      claims.add(claim(key, takeOver));
    }
    List<ClaimResult> results =
        crowd.call(i -> Crowd.patiently(() -> client(i).claim(claims.get(i))));
    List<Granted> granted = new ArrayList<>();
    Entry winner = entry(key);
    for (int i = 0; i < callers; i++) {
      if (results.get(i) instanceof Granted grant) {
        granted.add(grant);
        assertThat(winner.token()).isEqualTo(claims.get(i).token());
      }
    }
    assertThat(granted).as("grants").hasSize(1);
    for (ClaimResult result : results) {
      if (!(result instanceof Granted)) {
        assertThat(result).isInstanceOf(Held.class);
        assertThat(((Held) result).entry().token()).isEqualTo(winner.token());
      }
    }
    return granted.get(0);
  }

  @Rule("C-50")
  void eitherTheOwnerCompletesOrSomebodyTakesOver() {
    List<Claim> owners = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      owners.add(running());
    }
    fixture.advance(LEASE.plus(MARGIN));
    try (Crowd crowd = new Crowd(HEIRS)) {
      for (Claim owner : owners) {
        List<Claim> heirs = new ArrayList<>();
        for (int i = 0; i < HEIRS; i++) {
          heirs.add(claim(owner.key(), TakeOver.ALWAYS));
        }
        List<Boolean> won =
            crowd.call(
                i ->
                    i == HEIRS / 2
                        ? Crowd.patiently(
                            () -> client(i).complete(owner.owner(), OUTCOME, RETENTION))
                        : Crowd.patiently(() -> client(i).claim(heirs.get(i))) instanceof Granted);
        assertThat(won).as("completions and grants").containsOnlyOnce(true);
        boolean isSettled = entry(owner.key()).outcome().isPresent();
        assertThat(isSettled).isEqualTo(won.get(HEIRS / 2));
      }
    }
  }

  @Rule("C-51")
  void ofManyCompletionsByOneOwnerOneOutcomeIsKept() {
    try (Crowd crowd = new Crowd(HEIRS)) {
      for (int round = 0; round < ROUNDS; round++) {
        Claim owner = running();

        List<Outcome> seen =
            crowd.call(
                i -> {
                  Outcome mine = Outcome.of(Bytes.utf8("answer " + i));
                  boolean kept =
                      Crowd.patiently(() -> client(i).complete(owner.owner(), mine, RETENTION));
                  assertThat(kept).isTrue();
                  return client(i).find(owner.key()).orElseThrow().outcome().orElseThrow();
                });

        assertThat(seen).containsOnly(seen.get(0));
      }
    }
  }

  @Rule("C-52")
  void mixedCallsAnswerAsIfTheyCameOneAfterTheOther() {
    Map<String, Integer> answers =
        new MixedCalls(fixture, MIXED_SEED, MIXED_PAIRS, this::freshKey).run();

    List<String> wanted = new ArrayList<>(CORE_ANSWERS);
    wanted.addAll(store.capability(Steps.class).isPresent() ? STEP_ANSWERS : List.of());
    wanted.addAll(store.capability(Resolvable.class).isPresent() ? OPERATOR_ANSWERS : List.of());
    assertThat(answers)
        .as("answers, seed %d", MIXED_SEED)
        .containsKeys(wanted.toArray(String[]::new));
  }
}
