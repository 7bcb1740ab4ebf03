// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is printed can be read again, and what cannot be read is refused. */
class TextTest {

  @Test
  void durationsAreReadAndPrinted() {
    Map.of(
            "0s", Duration.ZERO,
            "500ms", Duration.ofMillis(500),
            "90s", Duration.ofSeconds(90),
            "5m", Duration.ofMinutes(5),
            "24h", Duration.ofDays(1),
            "36h", Duration.ofHours(36),
            "7d", Duration.ofDays(7),
            "PT0.0000015S", Duration.ofNanos(1500))
        .forEach(
            (text, duration) -> {
              assertThat(DurationText.text(duration)).isEqualTo(text);
              assertThat(DurationText.parse(text)).isEqualTo(duration);
            });
    assertThat(DurationText.parse(" 30 s ")).isEqualTo(Duration.ofSeconds(30));
    assertThat(DurationText.parse("0")).isZero();
    assertThat(DurationText.parse("PT1H30M")).isEqualTo(Duration.ofMinutes(90));
    for (String wrong : List.of("", "5", "soon", "5 weeks", "1h30m", "-5s", "PT-5S", "1.5s")) {
      assertThatThrownBy(() -> DurationText.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not a duration");
    }
  }

  @Test
  void longDurationsAreRoundedForPeople() {
    Map.of(
            84L,
            "84ms",
            1_234L,
            "1.2s",
            45_999L,
            "45s",
            5 * 60_000L + 1,
            "5m",
            3 * 3_600_000L + 1,
            "3h",
            50 * 3_600_000L,
            "2d",
            -1L,
            "0ms")
        .forEach(
            (millis, text) ->
                assertThat(DurationText.rounded(Duration.ofMillis(millis))).isEqualTo(text));
  }

  @Test
  void sizesAreReadAndPrinted() {
    Map.of("0B", 0L, "1000B", 1000L, "64KiB", 65536L, "1MiB", 1L << 20, "3GiB", 3L << 30)
        .forEach(
            (text, size) -> {
              assertThat(SizeText.text(size)).isEqualTo(text);
              assertThat(SizeText.parse(text)).isEqualTo(size);
            });
    assertThat(SizeText.parse("4096")).isEqualTo(4096);
    assertThat(SizeText.parse("2 MB")).isEqualTo(2 << 20);
    for (String wrong : List.of("", "MiB", "-1", "1TiB", "1.5MiB", "12345678901")) {
      assertThatThrownBy(() -> SizeText.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("not a size such as 64KiB");
    }
  }

  @Test
  void whatIsWrittenIsReadAgain() {
    String text =
        "{\"a\":[1,-2,1.5,true,null,\"é \\\"\\\\ \\n \\u0001\"],\"b\":{},\"c\":[],\"d\":12345678901234567890}";
    Object read = Json.read(" " + text.replace(",", " , ") + "\n");
    assertThat(Json.read(Json.write(read))).isEqualTo(read);
    assertThat(Json.write(Json.read(text))).startsWith("{\"a\":[1,-2,1.5,true,null,\"é");
  }

  @Test
  void whatIsNotJsonIsRefused() {
    for (String wrong :
        new String[] {
          "",
          "{",
          "[1,]",
          "{\"a\":1,}",
          "{\"a\":1,\"a\":2}",
          "01",
          "\"\\x\"",
          "tru",
          "1 2",
          "\"\n\"",
          "[".repeat(100) + "]".repeat(100)
        }) {
      assertThatThrownBy(() -> Json.read(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void stringsHaveOnlyTheEscapesThatTheyNeed() {
    assertThat(Json.write("é \ud83d\ude00 / \u007f \b\f\u0001\u001b"))
        .isEqualTo("\"é \ud83d\ude00 / \u007f \\b\\f\\u0001\\u001b\"");
    assertThat(Json.write("half \ud83d.")).isEqualTo("\"half \\ud83d.\"");
    assertThat(Json.write("\ude00")).isEqualTo("\"\\ude00\"");
  }
}
