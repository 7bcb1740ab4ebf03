// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store answers. One question is asked at a time, and nobody waits for it for long: a
 * store that hangs takes one thread, however often somebody looks.
 */
final class Pulse {
  private final Supplier<?> question;
  private @Nullable CompletableFuture<Boolean> asked;

  Pulse(Supplier<?> question) {
    this.question = question;
  }

  /** Returns whether the store answers {@code within} a time. */
  boolean isThere(Duration within) {
    try {
      return asked().get(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private synchronized CompletableFuture<Boolean> asked() {
    if (asked == null || asked.isDone()) {
      CompletableFuture<Boolean> answer = new CompletableFuture<>();
      Thread thread = new Thread(() -> ask(answer), "retrysafe-pulse");
      thread.setDaemon(true);
      thread.start();
      asked = answer;
    }
    return asked;
  }

  private void ask(CompletableFuture<Boolean> answer) {
    try {
      Object unused = question.get();
      answer.complete(true);
    } catch (RuntimeException e) {
      answer.complete(false);
    }
  }
}
