// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * One payment that reaches a shop six times: five copies at once, and one more after their answers
 * were lost.
 */
final class Rush {
  private static final int AT_ONCE = 5;

  private final Shop shop;

  Rush(Shop shop) {
    this.shop = shop;
  }

  /** Hears what the shop answered to a copy, in the order of the answers. */
  interface Witness {
    void heard(int copy, String answer, boolean isLost);
  }

  /** Sends all copies, from threads that start together. */
  void send(Witness witness) throws InterruptedException, ExecutionException {
    ExecutorService senders = Executors.newFixedThreadPool(AT_ONCE);
    try {
      CyclicBarrier start = new CyclicBarrier(AT_ONCE);
      ExecutorCompletionService<Answer> answers = new ExecutorCompletionService<>(senders);
      for (int i = 1; i <= AT_ONCE; i++) {
        int copy = i;
        answers.submit(
            () -> {
              start.await();
              return new Answer(copy, shop.pay());
            });
      }
      for (int i = 0; i < AT_ONCE; i++) {
        Answer answer = answers.take().get();
        witness.heard(answer.copy, answer.text, true);
      }
      witness.heard(AT_ONCE + 1, shop.pay(), false);
    } finally {
      senders.shutdownNow();
    }
  }

  private record Answer(int copy, String text) {}
}
