// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ScopeTest {

  @Test
  void theAccountComesFirstThenWhatIsDone() {
    Scope scope = Scope.of("merchant_7", "POST", "/payments");

    assertThat(scope.account()).isEqualTo("merchant_7");
    assertThat(scope.endpoint()).isEqualTo("POST /payments");
    assertThat(scope).hasToString("merchant_7 POST /payments");
    assertThat(Scope.of("merchant_7").endpoint()).isEmpty();
  }

  @Test
  void partsDoNotRunIntoEachOther() {
    assertThat(Scope.of("a", "bc")).isNotEqualTo(Scope.of("ab", "c"));
    assertThat(Scope.of("a", "b c")).isNotEqualTo(Scope.of("a", "b", "c"));
  }

  @Test
  void laterChangesOfTheListDoNotChangeTheScope() {
    List<String> parts = new ArrayList<>(List.of("a", "b"));
    Scope scope = new Scope(parts);

    parts.set(0, "c");

    assertThat(scope.account()).isEqualTo("a");
  }

  @Test
  void anAccountIsNeeded() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Scope(List.of()))
        .withMessageContaining("Scope.of(");
  }

  @Test
  void emptyPartsControlCharactersAndLoneSurrogatesAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Scope.of(""));
    assertThatIllegalArgumentException().isThrownBy(() -> Scope.of("a", ""));
    for (String bad : new String[] {"a\0", "a\nb", "\u007f", "\u0085"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Scope.of("a", bad))
          .withMessageContaining("control characters");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scope.of("a", "\uD83D"))
        .withMessageContaining("surrogates");
    assertThat(Scope.of("a", "\uD83D\uDE00").endpoint()).isEqualTo("\uD83D\uDE00");
  }

  @Test
  void allPartsTogetherTakeAtMost4096Bytes() {
    assertThat(Scope.of("a".repeat(4094), "é").account()).hasSize(4094);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scope.of("a".repeat(4095), "é"))
        .withMessageContaining("4097");
  }
}
