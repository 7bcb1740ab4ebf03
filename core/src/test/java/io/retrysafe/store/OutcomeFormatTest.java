// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import io.retrysafe.Outcome.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class OutcomeFormatTest {
  /** Written by hand: bytes of version 1 must be readable for ever. */
  private static final String GOLDEN =
      "01" // version
          + "02" // flags: kept
          + "000000c9" // status 201
          + "0002" // two attributes
          + "00000008" // length of the name
          + "4c6f636174696f6e" // Location
          + "00000004" // length of the value
          + "2f632f31" // /c/1
          + "00000001" // length of the name
          + "61" // a
          + "00000002" // length of the value
          + "c3a9" // é
          + "00000003" // length of the body
          + "00ff7b"; // the body

  private static final Outcome GOLDEN_OUTCOME =
      Outcome.of(
          201,
          List.of(new Attribute("Location", "/c/1"), new Attribute("a", "é")),
          Bytes.wrap(new byte[] {0, (byte) 0xff, '{'}));

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  @Test
  void theGoldenBytesAreReadAndWritten() {
    assertThat(OutcomeFormat.read(bytes(GOLDEN))).isEqualTo(GOLDEN_OUTCOME);
    assertThat(OutcomeFormat.write(GOLDEN_OUTCOME)).isEqualTo(bytes(GOLDEN));
    assertThat(OutcomeFormat.size(GOLDEN_OUTCOME)).isEqualTo(bytes(GOLDEN).length);
  }

  @Test
  void kindAndWhetherTheAnswerIsKeptAreFlags() {
    assertThat(OutcomeFormat.write(Outcome.of(Bytes.EMPTY)))
        .isEqualTo(bytes("0102" + "00000000" + "0000" + "00000000"));
    assertThat(OutcomeFormat.write(Outcome.failed(-1, List.of(), Bytes.EMPTY)))
        .isEqualTo(bytes("0103" + "ffffffff" + "0000" + "00000000"));
    assertThat(OutcomeFormat.write(Outcome.of(Bytes.utf8("x")).withoutAnswer()))
        .isEqualTo(bytes("0100" + "00000000" + "0000" + "00000000"));
  }

  @Test
  void whatIsWrittenIsRead() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      Outcome outcome = outcome(random);
      byte[] written = OutcomeFormat.write(outcome);

      assertThat(OutcomeFormat.read(written)).as("seed %d, outcome %d", seed, i).isEqualTo(outcome);
      assertThat(OutcomeFormat.size(outcome)).as("seed %d", seed).isEqualTo(written.length);
    }
  }

  private static Outcome outcome(Random random) {
    List<Attribute> attributes = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      attributes.add(new Attribute(text(random), text(random)));
    }
    byte[] body = new byte[random.nextInt(64)];
    random.nextBytes(body);
    Kind kind = random.nextBoolean() ? Kind.FINAL : Kind.FAILED;
    Outcome kept = new Outcome(kind, random.nextInt(), attributes, Bytes.wrap(body), true);
    return random.nextInt(8) == 0 ? kept.withoutAnswer() : kept;
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(8); i > 0; i--) {
      int point = random.nextInt(Character.MAX_CODE_POINT + 1);
      text.appendCodePoint(point >= 0xD800 && point < 0xE000 ? 'x' : point);
    }
    return text.toString();
  }

  @Test
  void bytesCutAtAnyLengthAreRefused() {
    byte[] whole = bytes(GOLDEN);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatIllegalArgumentException().isThrownBy(() -> OutcomeFormat.read(cut));
    }
  }

  @Test
  void strayBytesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OutcomeFormat.read(bytes(GOLDEN + "00")))
        .withMessageContaining("1 stray bytes");
  }

  @Test
  void otherVersionsAndUnknownFlagsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OutcomeFormat.read(bytes("02" + GOLDEN.substring(2))))
        .withMessageContaining("version 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OutcomeFormat.read(bytes("0106" + GOLDEN.substring(4))))
        .withMessageContaining("flags");
  }

  @Test
  void lengthsThatCannotBeAreRefusedWithoutTakingMemory() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OutcomeFormat.read(bytes("0102" + "00000000" + "0000" + "7fffffff")))
        .withMessageContaining("2147483647");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OutcomeFormat.read(bytes("0102" + "00000000" + "0000" + "ffffffff")))
        .withMessageContaining("-1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OutcomeFormat.read(bytes("0102" + "00000000" + "7fff" + "00000000")))
        .withMessageContaining("32767 attributes");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OutcomeFormat.read(bytes("0102" + "00000000" + "ffff" + "00000000")))
        .withMessageContaining("-1 attributes");
  }

  @Test
  void anyBytesAreReadOrRefusedNothingElse() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] noise = bytes(GOLDEN);
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        noise[random.nextInt(noise.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(OutcomeFormat.read(noise).attributes().size()).as("seed %d", seed).isLessThan(9);
      } catch (IllegalArgumentException refused) {
        assertThat(refused).as("seed %d", seed).hasMessageContaining("outcome");
      }
    }
  }

  @Test
  void tooManyAttributesAreRefusedWhenWritten() {
    Attribute attribute = new Attribute("a", "b");
    Outcome most = Outcome.of(0, Collections.nCopies(Short.MAX_VALUE, attribute), Bytes.EMPTY);
    Outcome more = Outcome.of(0, Collections.nCopies(Short.MAX_VALUE + 1, attribute), Bytes.EMPTY);

    assertThat(OutcomeFormat.read(OutcomeFormat.write(most))).isEqualTo(most);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OutcomeFormat.write(more))
        .withMessageContaining("32768");
  }
}
