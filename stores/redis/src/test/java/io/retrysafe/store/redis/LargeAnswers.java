// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A process with little memory whose callers all want large answers at once. */
final class LargeAnswers {
  static final int KEYS = 32;
  static final int CALLERS = 80;
  static final int SIZE = 1 << 20;

  private LargeAnswers() {}

  static OperationKey key(int number) {
    return OperationKey.of(Scope.of("merchant_7", "POST", "/exports"), "large-" + number);
  }

  private static Claim claim(int number) {
    return new Claim(
        key(number),
        Fingerprint.NONE,
        Token.of(UUID.randomUUID()),
        Duration.ofSeconds(30),
        TakeOver.NONE);
  }

  /** Settles the operations, and copies their answers. */
  static void prepare(RedisStore store, RedisCopies copies) {
    Bytes bytes = Bytes.wrap(new byte[SIZE]);
    for (int i = 0; i < KEYS; i++) {
      Claim claim = claim(i);
      store.claim(claim);
      store.complete(claim.owner(), Outcome.of(bytes), Samples.RETENTION);
      OperationKey key = claim.key();
      Samples.await(() -> copies.replace(key, bytes, Duration.ofMinutes(10)));
    }
  }

  /** Asks for all of them many times at once, and prints how many callers got their answer. */
  public static void main(String[] arguments) throws Exception {
    Duration patient = Duration.ofSeconds(60);
    try (RedisStore store = RedisStore.builder(arguments[0]).timeout(patient).build();
        RedisCopies copies = RedisCopies.builder(arguments[0]).timeout(patient).build()) {
      Samples.await(() -> copies.get(key(0)).isPresent());
      System.out.println("claims " + claims(store) + " copies " + copies(copies));
    }
    System.exit(0);
  }

  private static int claims(RedisStore store) {
    List<CompletableFuture<Integer>> sizes = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      sizes.add(
          store
              .claim(claim(i % KEYS), Runnable::run)
              .thenApply(result -> ((Held) result).entry().outcome().orElseThrow().body().size())
              .toCompletableFuture());
    }
    return (int) sizes.stream().filter(size -> size.join() == SIZE).count();
  }

  private static int copies(RedisCopies copies) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    List<Future<Integer>> sizes = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      OperationKey key = key(i % KEYS);
      sizes.add(callers.submit(() -> copies.get(key).map(Bytes::size).orElse(0)));
    }
    int whole = 0;
    for (Future<Integer> size : sizes) {
      whole += size.get() == SIZE ? 1 : 0;
    }
    callers.shutdown();
    return whole;
  }
}
