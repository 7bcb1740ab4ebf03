// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class TokenTest {
  private final Token token = new Token(0x0123456789abcdefL, 0xfedcba9876543210L);

  @Test
  void allBitsSurviveAsAUuid() {
    assertThat(token.toUuid()).isEqualTo(UUID.fromString("01234567-89ab-cdef-fedc-ba9876543210"));
    assertThat(Token.of(token.toUuid())).isEqualTo(token);
  }

  @Test
  void aLogShowsOnlyItsBeginning() {
    assertThat(token).hasToString("01234567…");
  }
}
