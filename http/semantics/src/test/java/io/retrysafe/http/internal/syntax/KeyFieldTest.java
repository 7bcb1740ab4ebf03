// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.http.Json;
import io.retrysafe.http.Vectors;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KeyFieldTest {
  private static final String UUID = "8e03978e-40d5-43e8-bc93-6894a57f9324";

  private static String parse(String... lines) throws KeyField.InvalidException {
    return KeyField.parse(List.of(lines));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        UUID,
        '"' + UUID + '"',
        "  " + UUID + "\t",
        " \"" + UUID + "\" ",
        '"' + UUID + "\";v=1",
        '"' + UUID + "\"; v=1; w"
      })
  void quotedAndBareValuesAreTheSameKey(String line) throws Exception {
    assertThat(parse(line)).isEqualTo(UUID);
  }

  @Test
  void escapesInAQuotedValueAreUndone() throws Exception {
    assertThat(parse("\"a\\\"b\\\\c, d\"")).isEqualTo("a\"b\\c, d");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "inner space",
        "../../etc/passwd",
        "%00",
        "'; DROP TABLE x",
        "{{7*7}}",
        "${jndi:ldap://x}",
        "*?[]{}",
        "a;b=c",
        "~"
      })
  void whateverIsVisibleIsTakenAsItIs(String line) throws Exception {
    assertThat(parse(line)).isEqualTo(line);
  }

  @Test
  void keysKeepTheirCase() throws Exception {
    assertThat(parse("abc")).isNotEqualTo(parse("ABC"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 254, 255})
  void aKeyMayHave255Characters(int length) throws Exception {
    String key = "k".repeat(length);

    assertThat(parse(key)).isEqualTo(key);
    assertThat(parse('"' + key + '"')).isEqualTo(key);
  }

  @Test
  void theLimitCountsWhatIsInsideTheQuotes() throws Exception {
    assertThat(parse('"' + "\\\\".repeat(255) + '"')).hasSize(255);
  }

  static Stream<List<String>> invalid() {
    return Stream.of(
        List.of("a", "b"),
        List.of("a", "a"),
        List.of(""),
        List.of("   "),
        List.of("\t"),
        List.of("\"\""),
        List.of("\"   \""),
        List.of("\" a\""),
        List.of("\"a \""),
        List.of("k".repeat(256)),
        List.of('"' + "k".repeat(256) + '"'),
        List.of("a\u0000b"),
        List.of("a\tb"),
        List.of("a\nb"),
        List.of("a\r\nX: y"),
        List.of("a\u007fb"),
        List.of("caf\u00e9"),
        List.of("cafe\u0301"),
        List.of("\u20ac"),
        List.of("\ud83d\ude02"),
        List.of("\"caf\u00e9\""),
        List.of("\"a\tb\""),
        List.of("\"open"),
        List.of("\"a\"b"),
        List.of("\"a\", \"b\""),
        List.of("\"bad\\nescape\""),
        List.of("\"a\";V=\u00e9"),
        List.of("a\"b"),
        List.of("a\\b"),
        List.of("a, b"),
        List.of("a,b"));
  }

  @ParameterizedTest
  @MethodSource("invalid")
  void whatIsNotOneKeyIsRefusedWithoutQuotingIt(List<String> lines) {
    assertThatThrownBy(() -> KeyField.parse(lines))
        .isInstanceOf(KeyField.InvalidException.class)
        .satisfies(
            e -> {
              String line = lines.get(0).strip();
              assertThat(line.length() > 1 && String.valueOf(e.getMessage()).contains(line))
                  .isFalse();
              assertThat(e.getCause()).isNull();
            });
  }

  static Stream<Map<String, Json>> published() {
    return Stream.of("sf/string.json", "sf/string-generated.json")
        .flatMap(file -> Vectors.list(file).stream())
        .map(Vectors::members);
  }

  /** Of the published strings those are keys that are visible ASCII, not blank and not too long. */
  @ParameterizedTest
  @MethodSource("published")
  void publishedStringsAreReadAsTheStandardSays(Map<String, Json> vector) {
    List<String> raw =
        ((Json.Elements) vector.getOrDefault("raw", new Json.Elements(List.of())))
            .list().stream().map(Vectors::text).toList();
    boolean isString = raw.get(0).strip().startsWith("\"");
    String expected =
        vector.get("expected") instanceof Json.Elements item
            ? Vectors.text(item.list().get(0))
            : null;
    boolean isKey =
        expected != null
            && raw.size() == 1
            && !expected.isBlank()
            && expected.equals(expected.strip())
            && expected.length() <= 255;

    if (isKey) {
      assertThat(parsed(raw)).isEqualTo(expected);
    } else if (isString) {
      assertThatThrownBy(() -> KeyField.parse(raw)).isInstanceOf(KeyField.InvalidException.class);
    }
  }

  private static String parsed(List<String> raw) {
    try {
      return KeyField.parse(raw);
    } catch (KeyField.InvalidException e) {
      throw new AssertionError(raw + " should be a key", e);
    }
  }
}
