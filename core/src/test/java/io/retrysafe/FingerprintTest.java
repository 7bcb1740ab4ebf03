// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

final class FingerprintTest {

  @Test
  void equalPartsMakeEqualFingerprints() {
    assertThat(Fingerprint.ofText("charge", "100")).isEqualTo(Fingerprint.ofText("charge", "100"));
    assertThat(Fingerprint.ofText("charge", "100"))
        .isNotEqualTo(Fingerprint.ofText("charge", "101"));
    assertThat(Fingerprint.ofText()).isNotEqualTo(Fingerprint.ofText(""));
  }

  @Test
  void partsDoNotRunIntoEachOther() {
    assertThat(Fingerprint.ofText("a", "bc")).isNotEqualTo(Fingerprint.ofText("ab", "c"));
    assertThat(Fingerprint.ofText("a", "")).isNotEqualTo(Fingerprint.ofText("a"));
  }

  @Test
  void digestsOfDifferentRecipesAreNotComparable() {
    Fingerprint one = Fingerprint.sha256("raw-1", Bytes.utf8("body"));
    Fingerprint two = Fingerprint.sha256("raw-2", Bytes.utf8("body"));

    assertThat(one.digest()).isEqualTo(two.digest());
    assertThat(one).isNotEqualTo(two);
    assertThat(one.isComparableTo(two)).isFalse();
    assertThat(one.isComparableTo(Fingerprint.sha256("raw-1", Bytes.EMPTY))).isTrue();
  }

  @Test
  void aDigestIs32BytesOfSha256AndMayBeUpTo64() {
    assertThat(Fingerprint.ofText("x").digest().size()).isEqualTo(32);
    assertThat(new Fingerprint("r", Bytes.wrap(new byte[64])).digest().size()).isEqualTo(64);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fingerprint("r", Bytes.wrap(new byte[65])))
        .withMessageContaining("65");
  }

  @Test
  void aRecipeIs1To32VisibleCharacters() {
    assertThat(new Fingerprint("r".repeat(32), Bytes.EMPTY).recipe()).hasSize(32);
    for (String bad : new String[] {"", "r".repeat(33), "a b", "é", "a\n"}) {
      assertThatIllegalArgumentException().isThrownBy(() -> new Fingerprint(bad, Bytes.EMPTY));
    }
  }

  @Test
  void theDigestStaysOutOfLogs() {
    assertThat(Fingerprint.ofText("1234")).hasToString("Fingerprint[text-1]");
  }
}
