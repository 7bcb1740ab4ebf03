// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The size is counted without writing, so it has to agree with what is written for every kind of
 * character.
 */
class OutcomeSizeTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "\u007f",
        "\u0080",
        "\u07ff",
        "\u0800",
        "\uffff",
        "\ud83d\ude00",
        "a\ud83d\ude00",
        "\ud83d\ude00\ud83d\ude00z"
      })
  void theSizeIsWhatIsWritten(String value) {
    Outcome outcome = Outcome.of(200, List.of(new Attribute("n", value)), Bytes.utf8("body"));

    int size = OutcomeFormat.write(outcome).length;
    assertThat(OutcomeFormat.size(outcome)).isEqualTo(size);
    assertThat(OutcomeFormat.isLargerThan(outcome, size)).isFalse();
    assertThat(OutcomeFormat.isLargerThan(outcome, size - 1)).isTrue();
    assertThat(OutcomeFormat.isLargerThan(outcome, 100 * size)).isFalse();
  }
}
