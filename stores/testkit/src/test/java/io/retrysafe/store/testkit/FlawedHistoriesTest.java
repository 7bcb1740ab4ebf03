// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The kit finds what is wrong with a history: each mistake fails the rule that it breaks. */
final class FlawedHistoriesTest {

  @TestFactory
  Stream<DynamicTest> everyFlawFailsItsRule(@TempDir Path results) {
    return EnumSet.complementOf(EnumSet.of(FlawedHistory.Flaw.NONE)).stream()
        .map(
            flaw ->
                dynamicTest(
                    flaw + " fails " + flaw.rule,
                    () ->
                        assertThat(run(flaw, flaw.rule, results))
                            .containsEntry(flaw.rule, "failed")));
  }

  @Test
  void aHistoryWithoutAFlawPasses(@TempDir Path results) throws IOException {
    for (String rule : new String[] {"C-97", "C-98", "C-99", "C-100", "C-101", "C-107"}) {
      assertThat(run(FlawedHistory.Flaw.NONE, rule, results)).containsEntry(rule, "passed");
    }
  }

  private static Map<String, String> run(FlawedHistory.Flaw flaw, String rule, Path results)
      throws IOException {
    FlawedHistoryContract.flaw = flaw;
    return ContractRun.verdicts(
        FlawedHistoryContract.class, rule, results, "history-" + flaw.name());
  }
}
