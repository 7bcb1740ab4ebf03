// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The kit finds what is wrong with queues, and with capabilities that do not stay. */
final class FlawedCapabilitiesTest {

  @TestFactory
  Stream<DynamicTest> everyFlawFailsItsRule(@TempDir Path results) {
    return Arrays.stream(FlawedQueue.Flaw.values())
        .map(flaw -> dynamicTest(flaw.name(), () -> check(flaw, results)));
  }

  private static void check(FlawedQueue.Flaw flaw, Path results) throws IOException {
    FlawedQueueContract.flaw = flaw;

    assertThat(
            ContractRun.verdicts(
                FlawedQueueContract.class, flaw.rule, results, "queue-" + flaw.name()))
        .containsEntry(flaw.rule, flaw == FlawedQueue.Flaw.NONE ? "passed" : "failed");
  }

  @Test
  void capabilitiesThatComeAndGoFailTheirRule(@TempDir Path results) throws IOException {
    assertThat(ContractRun.verdicts(FickleContract.class, "C-112", results, "fickle"))
        .containsEntry("C-112", "failed");
  }
}
