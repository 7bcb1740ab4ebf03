// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The kit finds what is wrong with counting. */
final class FlawedMeteringTest {

  @TestFactory
  Stream<DynamicTest> everyFlawFailsTheRule(@TempDir Path results) {
    return Arrays.stream(FlawedMeteringContract.Flaw.values())
        .map(flaw -> dynamicTest(flaw.name(), () -> check(flaw, results)));
  }

  private static void check(FlawedMeteringContract.Flaw flaw, Path results) throws IOException {
    FlawedMeteringContract.flaw = flaw;

    assertThat(
            ContractRun.verdicts(
                FlawedMeteringContract.class, "C-111", results, "metering-" + flaw.name()))
        .containsEntry("C-111", flaw == FlawedMeteringContract.Flaw.NONE ? "passed" : "failed");
  }
}
