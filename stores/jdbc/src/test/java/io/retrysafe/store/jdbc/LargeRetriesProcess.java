// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.NoAnswerException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A process with little memory, in which many callers retry operations with large answers. */
final class LargeRetriesProcess {
  private static final int KEYS = 20;
  private static final int ROUNDS = 2;

  private final AtomicInteger held = new AtomicInteger();
  private final AtomicInteger silent = new AtomicInteger();
  private final AtomicInteger contended = new AtomicInteger();
  private final AtomicInteger wrong = new AtomicInteger();
  private final AtomicInteger thrown = new AtomicInteger();

  private LargeRetriesProcess() {}

  public static void main(String[] args) throws Exception {
    new LargeRetriesProcess().run(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    System.exit(0);
  }

  private void run(String url, int callers, int size) throws Exception {
    JdbcStore.Builder builder =
        JdbcStore.builder(Databases.at(url)).applySchema(true).timeout(Duration.ofSeconds(10));
    StoreContext context = StoreContext.of(builder);
    try (JdbcStore store = new JdbcStore(context)) {
      List<OperationKey> keys = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        Claim claim = Samples.claim(Samples.newKey());
        keys.add(claim.key());
        store.claim(claim);
        store.complete(claim.owner(), Outcome.of(Bytes.wrap(new byte[size])), Samples.RETENTION);
      }
      CountDownLatch start = new CountDownLatch(1);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        OperationKey key = keys.get(i % KEYS);
        Thread thread = new Thread(() -> retry(store, key, size, start));
        thread.start();
        threads.add(thread);
      }
      start.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      int later = 0;
      for (int i = 0; i < 64; i++) {
        later +=
            store.claim(Samples.claim(Samples.newKey())) instanceof ClaimResult.Granted ? 1 : 0;
      }
      System.out.println("held: " + held + ", silent: " + silent);
      System.out.println("contended: " + contended);
      System.out.println("wrong: " + wrong);
      System.out.println("thrown: " + thrown);
      System.out.println("later calls answered: " + later + " of 64");
      System.out.println("lanes alive: " + context.queue().isAlive());
    }
  }

  private void retry(JdbcStore store, OperationKey key, int size, CountDownLatch start) {
    try {
      start.await();
      for (int i = 0; i < ROUNDS; i++) {
        ClaimResult result = store.claim(Samples.claim(key));
        if (result instanceof ClaimResult.Held answer) {
          boolean isRight = answer.entry().outcome().orElseThrow().body().size() == size;
          (isRight ? held : wrong).incrementAndGet();
        } else if (result instanceof ClaimResult.Contended) {
          contended.incrementAndGet();
        } else {
          wrong.incrementAndGet();
        }
      }
    } catch (NoAnswerException e) {
      silent.incrementAndGet();
    } catch (Throwable e) {
      e.printStackTrace();
      thrown.incrementAndGet();
    }
  }
}
