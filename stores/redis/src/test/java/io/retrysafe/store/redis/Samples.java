// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.testing.servers.RedisServer;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Claims and outcomes for tests that do not care which. */
final class Samples {
  static final Duration RETENTION = Duration.ofDays(1);
  static final Outcome DONE = Outcome.of(Bytes.utf8("done"));
  private static final Scope SCOPE = Scope.of("merchant_7", "POST", "/payments");

  private Samples() {}

  static OperationKey newKey() {
    return OperationKey.of(SCOPE, UUID.randomUUID().toString());
  }

  static Token newToken() {
    return Token.of(UUID.randomUUID());
  }

  static Claim claim(OperationKey key) {
    return claim(key, Duration.ofSeconds(30), TakeOver.NONE);
  }

  static Claim claim(OperationKey key, Duration lease, TakeOver takeOver) {
    return new Claim(key, Fingerprint.NONE, newToken(), lease, takeOver);
  }

  /** Where the entry of a key is. */
  static String entry(OperationKey key) {
    return EntryKeys.text(EntryKeys.of("retrysafe", key).entry());
  }

  /** Returns how many scripts a server has run. */
  static long scripts(RedisServer server) {
    return server
        .tell("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_eval"))
        .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+),.*", "$1")))
        .sum();
  }

  /** Returns the connections of a server, except the one that asks. */
  static Set<String> clients(RedisServer server) {
    return server
        .tell("CLIENT", "LIST")
        .lines()
        .filter(line -> !line.contains("cmd=client|list"))
        .map(line -> line.replaceAll("^id=(\\d+) .*", "$1"))
        .collect(Collectors.toSet());
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
