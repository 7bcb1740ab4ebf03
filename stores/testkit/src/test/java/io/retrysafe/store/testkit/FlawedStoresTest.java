// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The kit finds what is wrong with a store: each mistake fails the rule that it breaks. */
final class FlawedStoresTest {
  private static final String MIXED = "C-52";

  /**
   * What random calls cannot see: they do not sweep or list, use long keys or answers, or look
   * within the hour.
   */
  private static final Set<Flaw> UNSEEN_BY_MIXED_CALLS =
      EnumSet.of(
          Flaw.COMPARES_HALF_OF_A_TOKEN,
          Flaw.IGNORES_CASE,
          Flaw.LAPSES_EARLY,
          Flaw.CUTS_OUTCOME,
          Flaw.KEEPS_OUTCOMES_OF_ANY_SIZE,
          Flaw.SWEEPS_LAPSED,
          Flaw.SWEEPS_IN_SILENCE,
          Flaw.SWEEPS_FENCES,
          Flaw.REPEATS_ON_PAGES,
          Flaw.LISTS_LAPSED_AS_RUNNING,
          Flaw.OVERFLOWS,
          Flaw.TAKES_ANY_NAME,
          Flaw.ENDS_LISTINGS_AT_DAMAGE,
          Flaw.IGNORES_DEADLINES);

  private final Path results;

  FlawedStoresTest(@TempDir Path results) {
    this.results = results;
  }

  @TestFactory
  Stream<DynamicTest> everyFlawFailsItsRule() {
    return Stream.of(Flaw.values())
        .map(
            flaw ->
                dynamicTest(
                    flaw + " fails " + flaw.rule,
                    () -> assertThat(run(flaw, flaw.rule)).containsEntry(flaw.rule, "failed")));
  }

  @TestFactory
  Stream<DynamicTest> mixedCallsAloneFindAFlaw() {
    return EnumSet.complementOf(EnumSet.copyOf(UNSEEN_BY_MIXED_CALLS)).stream()
        .map(
            flaw ->
                dynamicTest(
                    flaw + " fails " + MIXED,
                    () -> assertThat(run(flaw, MIXED)).containsEntry(MIXED, "failed")));
  }

  @Test
  void aStoreWithoutAFlawPassesEveryRuleItOffers() throws IOException {
    Map<String, String> verdicts = run(null, "*");

    assertThat(verdicts).hasSize(114).doesNotContainValue("failed");
    assertThat(verdicts)
        .containsEntry("C-15", "not applicable")
        .containsEntry("C-97", "not offered");
  }

  private Map<String, String> run(@Nullable Flaw flaw, String rule) throws IOException {
    FlawedContract.flaw = flaw;
    String name = flaw == null ? "flawless" : flaw.name();
    return ContractRun.verdicts(FlawedContract.class, rule, results, name);
  }
}
