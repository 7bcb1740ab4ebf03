// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.http.Json;
import io.retrysafe.http.Vectors;
import io.retrysafe.http.body.BodyMemory;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {

  private static final BodyMemory UNBOUNDED = BodyMemory.of(Long.MAX_VALUE);

  private static byte[] token(byte[] json) throws Exception {
    return CanonicalJson.token(new ByteArrayInputStream(json), UNBOUNDED);
  }

  private static String token(String json) {
    try {
      return new String(token(json.getBytes(StandardCharsets.UTF_8)), StandardCharsets.ISO_8859_1);
    } catch (Exception e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Returns the canonical form as the second reader has it. */
  private static String canonical(String json) {
    return Vectors.json(json.getBytes(StandardCharsets.UTF_8)).canonical();
  }

  /**
   * Those of the published vectors in which numbers are written in their canonical form already.
   */
  @ParameterizedTest
  @ValueSource(strings = {"arrays", "french", "unicode", "weird"})
  void publishedVectorsBecomeTheirCanonicalForm(String name) throws Exception {
    String output =
        new String(Vectors.bytes("jcs/output/" + name + ".json"), StandardCharsets.UTF_8);

    assertThat(Vectors.json(Vectors.bytes("jcs/input/" + name + ".json")).canonical())
        .isEqualTo(output);
    assertThat(canonical(output)).isEqualTo(output);
    assertThat(token(Vectors.bytes("jcs/input/" + name + ".json")))
        .isEqualTo(token(Vectors.bytes("jcs/output/" + name + ".json")));
  }

  @Test
  void aShortTokenIsTheCanonicalTextAndALongOneItsDigest() throws Exception {
    assertThat(token("{ \"b\" : [1, 2.0], \"a\\u000a\" : \"\\u0041\\/\" }"))
        .isEqualTo("{\"a\\n\":\"A/\",\"b\":[1,2.0]}");
    String text = '"' + "x".repeat(62) + '"';
    assertThat(token(text)).isEqualTo(text);
    String longer = '"' + "x".repeat(63) + '"';
    byte[] sha256 =
        MessageDigest.getInstance("SHA-256").digest(longer.getBytes(StandardCharsets.UTF_8));
    assertThat(token(longer)).isEqualTo("#" + new String(sha256, StandardCharsets.ISO_8859_1));
    assertThat(token("{\"a\":" + longer + "}"))
        .isEqualTo("{\"a\":#" + new String(sha256, StandardCharsets.ISO_8859_1) + "}");
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
    assertThat(token("[" + one + "]")).isNotEqualTo(token("[" + other + "]"));
  }

  @Test
  void whatMeansTheSameIsTheSame() {
    assertThat(token("{\"a\":1,\"b\":2}")).isEqualTo(token("{ \"b\" : 2 ,\n\t\"a\" : 1 }"));
    assertThat(token("[\"\\u0041\\/\"]")).isEqualTo(token("[\"A/\"]"));
    assertThat(token("{\"\\u20ac\":0}")).isEqualTo(token("{\"\u20ac\":0}"));
    assertThat(token("[\"\\ud83d\\ude02\"]")).isEqualTo(token("[\"\ud83d\ude02\"]"));
  }

  @Test
  void anAbsentMemberIsNotANullOne() {
    assertThat(token("{}")).isNotEqualTo(token("{\"a\":null}"));
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
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> token(bytes)).isInstanceOf(MalformedJsonException.class);
    assertThatThrownBy(() -> JsonParser.parse(bytes)).isInstanceOf(MalformedJsonException.class);
  }

  @Test
  void malformedUtf8IsRefused() {
    for (byte[] bytes :
        List.of(
            new byte[] {'"', (byte) 0xc3, '"'},
            new byte[] {'"', (byte) 0xc0, (byte) 0xaf, '"'},
            new byte[] {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'},
            new byte[] {'"', (byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80, '"'},
            new byte[] {'"', (byte) 0xf0, (byte) 0x80, (byte) 0x80, (byte) 0xaf, '"'},
            new byte[] {'"', (byte) 0xe2, (byte) 0x82},
            new byte[] {'"', (byte) 0x80, '"'},
            new byte[] {(byte) 0xff})) {
      assertThatThrownBy(() -> token(bytes)).isInstanceOf(MalformedJsonException.class);
      assertThatThrownBy(() -> JsonParser.parse(bytes)).isInstanceOf(MalformedJsonException.class);
    }
  }

  @Test
  void anyCharacterIsReadAlikeWhereverItMeetsTheEndOfABuffer() throws Exception {
    String text = "\"a\u00e9\u20ac\ud83d\ude02\\u20ac\\ud83d\\ude02\\n\"";
    String expected = token("[" + text + "]");
    for (int space = 8192 - 60; space < 8193; space++) {
      assertThat(token(" ".repeat(space) + "[" + text + "]")).isEqualTo(expected);
    }
  }

  @Test
  void depthIsBounded() {
    String deepest = "[".repeat(CanonicalJson.DEEPEST) + "]".repeat(CanonicalJson.DEEPEST);

    assertThat(token(deepest)).isNotEmpty();
    assertThatThrownBy(() -> token(("[" + deepest + "]").getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(MalformedJsonException.class)
        .hasMessageContaining("deeper");
  }

  @Test
  void membersOfAnObjectAreBounded() {
    assertThat(token(object(CanonicalJson.MOST_MEMBERS, "1"))).isNotEmpty();
    byte[] more = object(CanonicalJson.MOST_MEMBERS + 1, "1").getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> token(more))
        .isInstanceOf(MalformedJsonException.class)
        .hasMessageContaining("more than 50000 members");
  }

  /** Each object is within its bound; the open ones together take too much memory. */
  @Test
  void theMemoryOfOpenObjectsIsBounded() {
    int most = CanonicalJson.MOST_MEMBERS - 1;
    byte[] nested = object(most, object(most, "1")).getBytes(StandardCharsets.UTF_8);
    String siblings = object(most, "1");

    assertThatThrownBy(() -> token(nested))
        .isInstanceOf(MalformedJsonException.class)
        .hasMessageContaining("more than 8 MiB");
    assertThat(token("[" + siblings + "," + siblings + "," + siblings + "]")).isNotEmpty();
  }

  private static String object(int members, String last) {
    StringBuilder object = new StringBuilder("{");
    for (int i = 1; i < members; i++) {
      object.append('"').append(i).append("\":0,");
    }
    return object.append("\"last\":").append(last).append('}').toString();
  }

  @Test
  void memoryIsTakenFromTheBudgetOfAllBodiesAndGivenBack() throws Exception {
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    BodyMemory budget =
        new BodyMemory() {
          @Override
          public boolean take(int bytes) {
            most.accumulateAndGet(taken.addAndGet(bytes), Math::max);
            return taken.get() <= 1 << 20;
          }

          @Override
          public void giveBack(int bytes) {
            taken.addAndGet(-bytes);
          }
        };
    byte[] small = object(5_000, "1").getBytes(StandardCharsets.UTF_8);
    assertThat(CanonicalJson.token(new ByteArrayInputStream(small), budget)).isNotEmpty();
    assertThat(most.get()).isBetween(5_000 * 50, 5_000 * 200);
    assertThat(taken.get()).isZero();
  }

  @Test
  void aBudgetThatIsUsedUpIsNotTheBodysFault() {
    BodyMemory budget = BodyMemory.of(1 << 20);
    byte[] large = object(40_000, "1").getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> CanonicalJson.token(new ByteArrayInputStream(large), budget))
        .isInstanceOf(JsonMemory.ExhaustedException.class);
    assertThat(budget.take(1 << 20)).as("everything was given back").isTrue();
  }

  /** As a tree this text takes gigabytes; the heap of the tests is smaller. */
  @Test
  void aLargeTextIsReadWithoutHoldingIt() throws Exception {
    byte[] part = "{},".repeat(1 << 10).getBytes(StandardCharsets.UTF_8);
    InputStream parts =
        new SequenceInputStream(
            Collections.enumeration(
                Stream.generate(() -> (InputStream) new ByteArrayInputStream(part))
                    .limit(32 << 10)
                    .toList()));
    try (InputStream text =
        new SequenceInputStream(
            Collections.enumeration(
                List.of(
                    new ByteArrayInputStream(new byte[] {'['}),
                    parts,
                    new ByteArrayInputStream(new byte[] {'1', ']'}))))) {
      assertThat(CanonicalJson.token(text, BodyMemory.of(0))).hasSize(33);
    }
  }

  @Test
  void errorsSayWhereNotWhat() {
    assertThatThrownBy(() -> token("{\"card\":4111x}".getBytes(StandardCharsets.UTF_8)))
        .hasMessage("at byte 13 \",\" was expected");
  }

  @Test
  void twoTextsHaveOneTokenWhereTheSecondReaderFindsThemAlike() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Map<String, String> tokens = new HashMap<>();
    for (int i = 0; i < 2000; i++) {
      Json json = any(random, 4);
      String one = spelled(json, random);
      String other = spelled(json, random);
      assertThat(canonical(one))
          .as("seed %d, round %d: %s", seed, i, one)
          .isEqualTo(json.canonical());
      assertThat(token(one)).as("seed %d, round %d: %s", seed, i, one).isEqualTo(token(other));
      tokens.put(canonical(one), token(one));
    }
    assertThat(tokens.values()).as("seed %d", seed).doesNotHaveDuplicates();
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
    Map<String, Json> members = new HashMap<>();
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
