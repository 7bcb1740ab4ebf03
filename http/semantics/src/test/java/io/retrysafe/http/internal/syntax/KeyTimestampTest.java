// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.http.settings.KeyFormat;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KeyTimestampTest {

  /** The examples of RFC 9562, appendix A.6, and of the ULID specification. */
  @ParameterizedTest
  @CsvSource({
    "017F22E2-79B0-7CC3-98C4-DC0C0C07398F, 2022-02-22T19:22:22Z",
    "017f22e2-79b0-7cc3-98c4-dc0c0c07398f, 2022-02-22T19:22:22Z",
    "01ARYZ6S41TSV4RRFFQ69G5FAV, 2016-07-30T22:36:16.385Z",
    "01aryz6s41tsv4rrffq69g5fav, 2016-07-30T22:36:16.385Z",
    "7ZZZZZZZZZZZZZZZZZZZZZZZZZ, +10889-08-02T05:31:50.655Z"
  })
  void publishedExamplesSayWhenTheyWereMade(String key, Instant made) {
    assertThat(KeyTimestamp.of(key)).contains(made);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "919108f7-52d1-4320-9bac-f847db4148a8",
        "017F22E2-79B0-7CC3-18C4-DC0C0C07398F",
        "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "01ARYZ6S41TSV4RRFFQ69G5FAI",
        "order-1"
      })
  void othersDoNot(String key) {
    assertThat(KeyTimestamp.of(key)).isEmpty();
  }

  @Test
  void formatsAreWholeKeys() {
    assertThat(KeyFormat.uuid().fits("x919108f7-52d1-4320-9bac-f847db4148a8")).isFalse();
    assertThat(KeyFormat.uuid().fits("919108f752d143209bacf847db4148a8")).isFalse();
    assertThat(KeyFormat.ulid().fits("01ARYZ6S41TSV4RRFFQ69G5FAV0")).isFalse();
    assertThat(KeyFormat.pattern("order-[0-9]+").fits("order-12")).isTrue();
    assertThat(KeyFormat.pattern("order-[0-9]+").fits("my order-12")).isFalse();
  }
}
