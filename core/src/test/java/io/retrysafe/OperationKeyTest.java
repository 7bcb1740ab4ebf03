// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class OperationKeyTest {
  private static final Scope SCOPE = Scope.of("m", "POST", "/p");

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void everyVisibleCharacterIsAllowedAndCounts() {
    Set<String> identities = new HashSet<>();
    for (char c = '!'; c <= '~'; c++) {
      OperationKey key = OperationKey.of(SCOPE, String.valueOf(c));
      assertThat(key.value()).isEqualTo(String.valueOf(c));
      identities.add(hex(key.toBytes()));
    }
    assertThat(OperationKey.of(SCOPE, "a b").value()).isEqualTo("a b");
    assertThat(identities).hasSize('~' - '!' + 1);
  }

  @Test
  void spacesAndTabsAroundAKeyAreDropped() {
    assertThat(OperationKey.of(SCOPE, " \t a b\t ")).isEqualTo(OperationKey.of(SCOPE, "a b"));
  }

  @Test
  void otherCharactersAreRefusedByPlaceAndNumber() {
    for (char c = 0; c < 0x200; c++) {
      String value = "a" + c + "b";
      if (c < ' ' || c > '~') {
        String number = "U+%04X".formatted((int) c);
        assertThatIllegalArgumentException()
            .isThrownBy(() -> OperationKey.of(SCOPE, value))
            .withMessageContaining("character 2 is " + number);
      }
    }
  }

  @Test
  void aKeyHas1To255Characters() {
    assertThatIllegalArgumentException().isThrownBy(() -> OperationKey.of(SCOPE, ""));
    assertThatIllegalArgumentException().isThrownBy(() -> OperationKey.of(SCOPE, " \t "));
    assertThat(OperationKey.of(SCOPE, " " + "k".repeat(255)).value()).hasSize(255);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OperationKey.of(SCOPE, "k".repeat(256)))
        .withMessageContaining("256");
  }

  @Test
  void theIdentityIsEveryPartWithItsLength() {
    byte[] bytes = OperationKey.of(SCOPE, "k1").toBytes();

    assertThat(hex(bytes))
        .isEqualTo(
            "00000001"
                + "6d"
                + "00000004"
                + "504f5354"
                + "00000002"
                + "2f70"
                + "00000002"
                + "6b31");
  }

  @Test
  void theDigestIsTheIdentitysSha256() {
    assertThat(hex(OperationKey.of(SCOPE, "k1").digest()))
        .isEqualTo("ae5684792655f6c454949948b6dfba8cbe0c05538eb3f995f993b4d7e143bea7");
  }

  @Test
  void partsOfTheIdentityDoNotRunIntoEachOther() {
    assertThat(OperationKey.of(Scope.of("a", "b"), "c").toBytes())
        .isNotEqualTo(OperationKey.of(Scope.of("a"), "bc").toBytes());
    assertThat(OperationKey.of(Scope.of("a", "b"), "c").toBytes())
        .isNotEqualTo(OperationKey.of(Scope.of("ab"), "c").toBytes());
  }

  @Test
  void theKeyItselfStaysOutOfLogs() {
    OperationKey key = OperationKey.of(SCOPE, "secret-key");

    assertThat(key.toString()).startsWith("m POST /p #").doesNotContain("secret").hasSize(23);
  }
}
