// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class DemoTest {
  private static final int ROUNDS = 50;

  private final List<String> answers = new ArrayList<>();

  @Test
  void withoutTheEngineEveryCopyIsCharged() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(charges(Shop::naive)).isEqualTo(6);
    }
  }

  @Test
  void withTheEngineOneCopyIsCharged() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(charges(Shop::retrysafe)).isEqualTo(1);
    }
  }

  @Test
  void theLastCopyIsAnsweredWithTheFirstReceipt() throws Exception {
    charges(Shop::retrysafe);
    assertThat(answers).hasSize(6).last().isEqualTo("answered from the record, receipt 1");
    assertThat(answers).containsOnlyOnce("charged, receipt 1");
  }

  private int charges(Function<Bank, Shop> opening) throws Exception {
    Bank bank = new Bank(Duration.ZERO);
    try (Shop shop = opening.apply(bank)) {
      new Rush(shop).send((copy, answer, isLost) -> answers.add(answer));
    }
    assertThat(bank.cents()).isEqualTo(bank.charges() * Shop.PRICE);
    return bank.charges();
  }
}
