// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.store.Secrets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Secrets that make one mistake, or none. */
final class FlawedSecrets implements Secrets {
  private final Flaw flaw;
  private final InstantSource clock;
  private final Instant start;
  private final Map<String, Bytes> kept = new ConcurrentHashMap<>();

  FlawedSecrets(Flaw flaw, InstantSource clock) {
    this.flaw = flaw;
    this.clock = clock;
    this.start = clock.instant();
  }

  /** A mistake, and the rule that it breaks. */
  enum Flaw {
    NONE(""),
    KEEPS_THE_LAST_VALUE("C-102"),
    TELLS_WHAT_IT_WAS_GIVEN("C-102"),
    CUTS_VALUES("C-102"),
    LOOKS_BEFORE_IT_KEEPS("C-103"),
    LETS_VALUES_EXPIRE("C-104");

    final String rule;

    Flaw(String rule) {
      this.rule = rule;
    }
  }

  @Override
  public Bytes keep(String name, Bytes value) {
    Secrets.check(name, value);
    if (flaw == Flaw.LETS_VALUES_EXPIRE && clock.instant().isAfter(start)) {
      kept.clear();
    }
    if (flaw == Flaw.LOOKS_BEFORE_IT_KEEPS) {
      @Nullable Bytes seen = kept.get(name);
      LockSupport.parkNanos(20_000);
      if (seen != null) {
        return seen;
      }
      kept.put(name, value);
      return value;
    }
    Bytes first = flaw == Flaw.CUTS_VALUES ? cut(value) : value;
    @Nullable Bytes before =
        flaw == Flaw.KEEPS_THE_LAST_VALUE ? kept.put(name, first) : kept.putIfAbsent(name, first);
    boolean isNew = before == null || flaw == Flaw.TELLS_WHAT_IT_WAS_GIVEN;
    return isNew || flaw == Flaw.KEEPS_THE_LAST_VALUE ? first : before;
  }

  private static Bytes cut(Bytes value) {
    byte[] bytes = value.toArray();
    return Bytes.wrap(java.util.Arrays.copyOf(bytes, Math.min(255, bytes.length)));
  }
}
