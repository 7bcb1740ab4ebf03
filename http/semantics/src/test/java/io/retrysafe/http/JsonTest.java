// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {

  private static String canonical(String json) {
    return Vectors.json(json.getBytes(StandardCharsets.UTF_8)).canonical();
  }

  /**
   * Those of the published vectors in which numbers are written in their canonical form already.
   */
  @ParameterizedTest
  @ValueSource(strings = {"arrays", "french", "unicode", "weird"})
  void publishedVectorsBecomeTheirCanonicalForm(String name) {
    String output =
        new String(Vectors.bytes("jcs/output/" + name + ".json"), StandardCharsets.UTF_8);

    assertThat(Vectors.json(Vectors.bytes("jcs/input/" + name + ".json")).canonical())
        .isEqualTo(output);
    assertThat(canonical(output)).isEqualTo(output);
  }

  @Test
  void numbersStayAsTheyWereWritten() {
    assertThat(Vectors.json(Vectors.bytes("jcs/input/structures.json")).canonical())
        .contains("56.0")
        .isNotEqualTo(
            new String(Vectors.bytes("jcs/output/structures.json"), StandardCharsets.UTF_8));
    assertThat(Vectors.json(Vectors.bytes("jcs/input/values.json")).canonical())
        .isEqualTo(
            "{\"literals\":[null,true,false],\"numbers\":[333333333.33333329,1E30,4.50,2e-3,"
                + "0.000000000000000000000000001],\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "9007199254740993, 9007199254740992",
    "1, 1.0",
    "100, 1e2",
    "0, -0",
    "1E2, 1e2",
    "null, false",
    "'\"1\"', 1"
  })
  void whatIsWrittenDifferentlyIsDifferent(String one, String other) {
    assertThat(canonical("[" + one + "]")).isNotEqualTo(canonical("[" + other + "]"));
  }

  @Test
  void whatMeansTheSameIsTheSame() {
    assertThat(canonical("{\"a\":1,\"b\":2}")).isEqualTo(canonical("{ \"b\" : 2 ,\n\t\"a\" : 1 }"));
    assertThat(canonical("[\"\\u0041\\/\"]")).isEqualTo(canonical("[\"A/\"]"));
    assertThat(canonical("{\"\\u20ac\":0}")).isEqualTo(canonical("{\"\u20ac\":0}"));
    assertThat(canonical("[\"\\ud83d\\ude02\"]")).isEqualTo(canonical("[\"\ud83d\ude02\"]"));
  }

  @Test
  void anAbsentMemberIsNotANullOne() {
    assertThat(canonical("{}")).isNotEqualTo(canonical("{\"a\":null}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[",
        "\"",
        "nul",
        "truex",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "0x1",
        "NaN",
        "Infinity",
        "[1 2]",
        "[1]]",
        "1 2",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"a\nb\"",
        "\"a\tb\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\"\\ud800x\"",
        "// c\n1",
        "'a'",
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"\\u0061\":2}",
        "[{\"x\":{\"y\":1,\"z\":2,\"y\":3}}]",
        "\ufeff1",
        "\u00a01",
        "[1\u0000]"
      })
  void whatIsNotJsonIsRefused(String text) {
    assertThatThrownBy(() -> JsonParser.parse(text.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(JsonParser.MalformedException.class);
  }

  @Test
  void malformedUtf8IsRefused() {
    for (byte[] bytes :
        List.of(
            new byte[] {'"', (byte) 0xc3, '"'},
            new byte[] {'"', (byte) 0xc0, (byte) 0xaf, '"'},
            new byte[] {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'},
            new byte[] {(byte) 0xff})) {
      assertThatThrownBy(() -> JsonParser.parse(bytes))
          .isInstanceOf(JsonParser.MalformedException.class);
    }
  }

  @Test
  void depthIsBounded() throws Exception {
    String deepest = "[".repeat(JsonParser.DEEPEST) + "]".repeat(JsonParser.DEEPEST);
    assertThat(canonical(deepest)).isEqualTo(deepest);
    byte[] deeper = ("[" + deepest + "]").getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> JsonParser.parse(deeper))
        .isInstanceOf(JsonParser.MalformedException.class)
        .hasMessageContaining("deeper");
  }

  @Test
  void errorsSayWhereNotWhat() {
    assertThatThrownBy(() -> JsonParser.parse("{\"card\":4111x}".getBytes(StandardCharsets.UTF_8)))
        .hasMessage("at character 13 \",\" was expected");
  }

  @Test
  void anyOrderAndSpacingOfARandomDocumentHasOneCanonicalForm() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      Json json = any(random, 4);
      String one = spelled(json, random);
      String other = spelled(json, random);
      assertThat(canonical(one))
          .as("seed %d, round %d: %s", seed, i, one)
          .isEqualTo(json.canonical());
      assertThat(canonical(other))
          .as("seed %d, round %d: %s", seed, i, other)
          .isEqualTo(canonical(one));
    }
  }

  private static Json any(Random random, int depth) {
    int kind = random.nextInt(depth == 0 ? 2 : 4);
    if (kind == 0) {
      return new Json.Lexeme(
          List.of("null", "true", "false", "0", "-1.50", "1e3", "9007199254740993")
              .get(random.nextInt(7)));
    }
    if (kind == 1) {
      return new Json.Text(text(random));
    }
    List<Json> list = new ArrayList<>();
    java.util.Map<String, Json> members = new java.util.HashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      list.add(any(random, depth - 1));
      members.put(text(random), any(random, depth - 1));
    }
    return kind == 2 ? new Json.Elements(list) : new Json.Members(members);
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      text.appendCodePoint(
          List.of(0x20, 0x22, 0x5c, 0x0a, 0x00, 0x7f, 0xe9, 0x20ac, 0xfb33, 0x1f602, 0x61)
              .get(random.nextInt(11)));
    }
    return text.toString();
  }

  private static String spelled(Json json, Random random) {
    String space = List.of("", " ", "\n\t").get(random.nextInt(3));
    if (json instanceof Json.Members members) {
      List<String> parts = new ArrayList<>();
      members
          .byName()
          .forEach(
              (name, value) ->
                  parts.add(spelled(new Json.Text(name), random) + ":" + spelled(value, random)));
      Collections.shuffle(parts, random);
      return space + "{" + String.join("," + space, parts) + "}" + space;
    }
    if (json instanceof Json.Elements elements) {
      List<String> parts = new ArrayList<>();
      elements.list().forEach(element -> parts.add(spelled(element, random)));
      return space + "[" + String.join(space + ",", parts) + space + "]";
    }
    if (json instanceof Json.Text text) {
      StringBuilder out = new StringBuilder(space + "\"");
      for (char c : text.text().toCharArray()) {
        boolean mustEscape = c < ' ' || c == '"' || c == '\\' || Character.isSurrogate(c);
        out.append(
            mustEscape || random.nextBoolean() ? "\\u%04X".formatted((int) c) : String.valueOf(c));
      }
      return out + "\"";
    }
    return json.canonical();
  }
}
