// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.ClaimResult.Contended;
import io.retrysafe.store.NoAnswerException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Callers that all start at the same moment. */
final class Crowd implements AutoCloseable {
  private static final long LONGEST_SECONDS = 60;
  private static final long PATIENCE_SECONDS = 20;

  private final int size;
  private final ExecutorService threads;

  Crowd(int size) {
    this.size = size;
    this.threads = Executors.newFixedThreadPool(size);
  }

  /** Lets every caller make its call and returns the answers, by caller. */
  <T> List<T> call(IntFunction<T> calls) {
    CyclicBarrier start = new CyclicBarrier(size);
    List<Future<T>> running = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int caller = i;
      running.add(
          threads.submit(
              () -> {
                start.await(LONGEST_SECONDS, TimeUnit.SECONDS);
                return calls.apply(caller);
              }));
    }
    List<T> answers = new ArrayList<>();
    for (Future<T> each : running) {
      answers.add(answer(each));
    }
    return answers;
  }

  /** Asks again while there is no answer or the key is contended, as an engine does. */
  static <T> T patiently(Supplier<T> call) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      try {
        T answer = call.get();
        if (!(answer instanceof Contended) || System.nanoTime() > deadline) {
          return answer;
        }
      } catch (NoAnswerException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private static <T> T answer(Future<T> running) {
    try {
      return running.get(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while callers were running", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("a caller got no answer: " + e.getCause(), e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
