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

/** The kit finds what is wrong with secrets: each mistake fails the rule that it breaks. */
final class FlawedSecretsTest {

  @TestFactory
  Stream<DynamicTest> everyFlawFailsItsRule(@TempDir Path results) {
    return EnumSet.complementOf(EnumSet.of(FlawedSecrets.Flaw.NONE)).stream()
        .map(
            flaw ->
                dynamicTest(
                    flaw + " fails " + flaw.rule,
                    () ->
                        assertThat(run(flaw, flaw.rule, results))
                            .containsEntry(flaw.rule, "failed")));
  }

  @Test
  void secretsWithoutAFlawPass(@TempDir Path results) throws IOException {
    for (String rule : new String[] {"C-102", "C-103", "C-104"}) {
      assertThat(run(FlawedSecrets.Flaw.NONE, rule, results)).containsEntry(rule, "passed");
    }
  }

  private static Map<String, String> run(FlawedSecrets.Flaw flaw, String rule, Path results)
      throws IOException {
    FlawedSecretsContract.flaw = flaw;
    return ContractRun.verdicts(
        FlawedSecretsContract.class, rule, results, "secrets-" + flaw.name());
  }
}
