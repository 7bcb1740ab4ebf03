// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.store.redis.RedisCopies;
import io.retrysafe.testing.servers.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Near sides, and operations for tests that do not care which. */
final class Nears {
  static final byte[] SECRET = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
  static final Duration RETENTION = Duration.ofHours(1);
  static final Outcome DONE = Outcome.of(Bytes.utf8("done"));

  private Nears() {}

  /** Returns a layered store whose near side is connected. */
  static LayeredStore redis(Store record, RedisServer server, InstantSource clock) {
    NearCopies copies = copies(server.url());
    return LayeredStore.builder(record, copies).secret(SECRET).clock(clock).build();
  }

  static NearCopies copies(String url) {
    NearCopies copies = RedisCopies.create(url);
    await(() -> copies.replace(newKey(), Bytes.utf8("x"), Duration.ofSeconds(1)));
    return copies;
  }

  static OperationKey newKey() {
    return OperationKey.of(Scope.of("merchant_7", "POST", "/payments"), UUID.randomUUID() + "");
  }

  static Claim claim(OperationKey key) {
    return new Claim(
        key, Fingerprint.NONE, Token.of(UUID.randomUUID()), Duration.ofSeconds(30), TakeOver.NONE);
  }

  /** Runs an operation in {@code store} and returns its key. */
  static OperationKey settled(Store store) {
    Claim claim = claim(newKey());
    store.claim(claim);
    if (!store.complete(claim.owner(), DONE, RETENTION)) {
      throw new AssertionError("an owner could not settle");
    }
    return claim.key();
  }

  /** Has an operator forget the entry. */
  static Resolvable.Resolved forget(Store store, Entry seen) {
    Resolvable desk = store.capability(Resolvable.class).orElseThrow();
    return desk.resolve(seen, Token.of(UUID.randomUUID()), new Resolution.Forget());
  }

  static boolean isReplayed(Store store, OperationKey key) {
    return store.claim(claim(key)) instanceof Held held
        && held.entry().outcome().equals(java.util.Optional.of(DONE));
  }

  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("waited too long");
      }
      try {
        TimeUnit.MILLISECONDS.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }
  }
}
