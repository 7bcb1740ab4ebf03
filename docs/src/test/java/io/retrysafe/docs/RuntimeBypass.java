// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static com.tngtech.archunit.base.DescribedPredicate.describe;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import java.util.Map;
import java.util.Set;

/**
 * Calls that the engine may only make through its runtime: time, random numbers, pauses, threads.
 */
final class RuntimeBypass {
  private static final Set<String> ANYTHING = Set.of();

  private static final Map<String, Set<String>> OUTSIDE =
      Map.ofEntries(
          Map.entry("java.lang.System", Set.of("nanoTime", "currentTimeMillis")),
          Map.entry("java.lang.Thread", Set.of("<init>", "start", "sleep", "join", "yield")),
          Map.entry("java.lang.Math", Set.of("random")),
          Map.entry("java.time.Instant", Set.of("now")),
          Map.entry("java.time.Clock", ANYTHING),
          Map.entry("java.time.InstantSource", Set.of("system")),
          Map.entry("java.util.UUID", Set.of("randomUUID")),
          Map.entry("java.util.Random", ANYTHING),
          Map.entry("java.util.Timer", ANYTHING),
          Map.entry("java.security.SecureRandom", ANYTHING),
          Map.entry("java.util.concurrent.ThreadLocalRandom", ANYTHING),
          Map.entry("java.util.concurrent.Executors", ANYTHING),
          Map.entry("java.util.concurrent.TimeUnit", Set.of("sleep")),
          Map.entry("java.util.concurrent.locks.LockSupport", ANYTHING),
          Map.entry(
              "java.util.concurrent.CompletableFuture",
              Set.of(
                  "supplyAsync",
                  "runAsync",
                  "thenApplyAsync",
                  "orTimeout",
                  "completeOnTimeout",
                  "get")));

  static final DescribedPredicate<JavaCall<?>> CALLS =
      describe(
          "bypasses the runtime",
          call -> isOutside(call.getTargetOwner().getName(), call.getName()));

  private RuntimeBypass() {}

  private static boolean isOutside(String owner, String called) {
    Set<String> names = OUTSIDE.get(owner);
    return names != null && (names.equals(ANYTHING) || names.contains(called));
  }
}
