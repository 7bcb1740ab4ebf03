// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.store.Metered;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds on what an account, and all of them together, may hold in the store. They are checked
 * before a claim, against a count that a background thread renews every {@link #RENEWED}; requests
 * ask for the renewal, so an idle process counts nothing. Until the first count nothing is refused.
 *
 * <p>An operation that the store knows is never refused: its retries add nothing.
 */
final class Quotas {
  static final Duration RENEWED = Duration.ofSeconds(30);

  private static final System.Logger LOG = System.getLogger("io.retrysafe.http");

  private final Retrysafe engine;
  private final @Nullable Metered metered;
  private final LongSupplier nanos;
  private final Executor background;
  private final long entries;
  private final long bytes;
  private final long storeBytes;
  private final AtomicBoolean isCounting = new AtomicBoolean();
  private volatile Metered.Usage usage = new Metered.Usage(0, 0, Set.of());
  private volatile long countedAt;

  Quotas(Retrysafe engine, HttpPolicy policy, LongSupplier nanos, Executor background) {
    this.engine = engine;
    this.nanos = nanos;
    this.background = background;
    this.entries = limit(policy.get(Settings.ENTRIES_PER_ACCOUNT));
    this.bytes = limit(policy.get(Settings.BYTES_PER_ACCOUNT));
    this.storeBytes = limit(policy.get(Settings.STORE_LIMIT));
    boolean isOff = Math.min(Math.min(entries, bytes), storeBytes) == Long.MAX_VALUE;
    this.metered = isOff ? null : engine.metered().orElseThrow(Quotas::cannotCount);
    if (metered != null) {
      renew(metered);
    }
  }

  private static long limit(Number setting) {
    return setting.longValue() == 0 ? Long.MAX_VALUE : setting.longValue();
  }

  private static IllegalArgumentException cannotCount() {
    return new IllegalArgumentException(
        "entries-per-account, bytes-per-account and store-limit need a store that can count its"
            + " entries; set them to 0 or use another store");
  }

  /** Returns a daemon thread for each count. There is at most one count at a time. */
  static Executor threads() {
    return count -> {
      Thread thread = new Thread(count, "retrysafe-quotas");
      thread.setDaemon(true);
      thread.start();
    };
  }

  /** Returns whether new operations of an account have to be refused; asks no store. */
  boolean isReached(String account) {
    return excess(account).isPresent();
  }

  /**
   * Returns the problem of a new operation; nothing if it may run. Asks the store if it may not.
   */
  Optional<ProblemType> refusal(OperationKey key) {
    return excess(key.scope().account()).filter(problem -> !engine.isKnown(key));
  }

  private Optional<ProblemType> excess(String account) {
    if (metered == null) {
      return Optional.empty();
    }
    if (nanos.getAsLong() - countedAt >= RENEWED.toNanos()) {
      renew(metered);
    }
    Metered.Usage now = usage;
    if (now.bytes() >= storeBytes) {
      return Optional.of(ProblemType.STORE_FULL);
    }
    return now.largeAccounts().contains(account)
        ? Optional.of(ProblemType.QUOTA_EXCEEDED)
        : Optional.empty();
  }

  private void renew(Metered store) {
    if (!isCounting.compareAndSet(false, true)) {
      return;
    }
    try {
      background.execute(
          () -> {
            try {
              usage = store.usage(entries, bytes);
            } catch (Throwable e) {
              LOG.log(
                  System.Logger.Level.WARNING,
                  "the store could not be counted; quotas go by the last count: {0}",
                  e.toString());
            } finally {
              countedAt = nanos.getAsLong();
              isCounting.set(false);
            }
          });
    } catch (Throwable e) {
      // No thread could be started.
      isCounting.set(false);
      LOG.log(System.Logger.Level.WARNING, "no thread to count the store: {0}", e.toString());
    }
  }
}
