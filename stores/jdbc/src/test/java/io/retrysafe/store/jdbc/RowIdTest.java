// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class RowIdTest {
  private static final Scope SCOPE = Scope.of("a", "b");

  private static String id(String key) {
    return HexFormat.of().formatHex(RowId.of(OperationKey.of(SCOPE, key)).bytes());
  }

  @Test
  void aKeyThatCarriesItsTimeBeginsWithIt() {
    assertThat(id("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")).startsWith("017f22e279b0").hasSize(48);
    // 01ARZ3NDEKTSV4RRFFQ69G5FAV was made at 1469922850259 ms, which is 0156_3e3a_b5d3.
    assertThat(id("01ARZ3NDEKTSV4RRFFQ69G5FAV")).startsWith("01563e3ab5d3").hasSize(48);
    assertThat(id("01arz3ndektsv4rrffq69g5fav")).startsWith("01563e3ab5d3");
  }

  @Test
  void anyOtherKeyIsItsDigest() {
    for (String key :
        new String[] {
          "017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
          "017f22e2x79b0-7cc3-98c4-dc0c0c07398f",
          "g17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
          "81ARZ3NDEKTSV4RRFFQ69G5FAV",
          "01ARZ3NDEKTSV4RRFFQ69G5FAU",
          "order-7"
        }) {
      byte[] digest = OperationKey.of(SCOPE, key).digest();
      assertThat(id(key)).isEqualTo(HexFormat.of().formatHex(Arrays.copyOf(digest, RowId.SIZE)));
    }
  }

  @Test
  void equalKeysOfDifferentScopesAreDifferentRows() {
    String key = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
    assertThat(RowId.of(OperationKey.of(SCOPE, key)))
        .isEqualTo(RowId.of(OperationKey.of(Scope.of("a", "b"), key)))
        .isNotEqualTo(RowId.of(OperationKey.of(Scope.of("a", "c"), key)));
  }
}
