// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.OperationKey;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The keys whose answers this process had forgotten, for as long as a copy of them could live. It
 * believes no copy of them. Those of which the near side did not confirm that the copy is gone are
 * dropped there again and again, by a thread that exists only while there are such.
 */
final class Forgotten implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(LayeredStore.class.getName());
  private static final long PAUSE_MILLIS = 250;

  private final Predicate<OperationKey> drop;
  private final Duration longest;
  private final InstantSource clock;
  private final int most;
  private final Map<OperationKey, Instant> until = new LinkedHashMap<>();
  private final Map<OperationKey, Instant> pending = new LinkedHashMap<>();
  private Instant noneBefore = Instant.MIN;
  private boolean isRunning;
  private boolean isClosed;

  /**
   * Makes an empty set.
   *
   * @param drop drops a copy on the near side; false where nobody knows
   * @param longest how long a copy lives at most
   * @param most how many keys are remembered; beyond, no copy at all is believed for that long
   */
  Forgotten(Predicate<OperationKey> drop, Duration longest, InstantSource clock, int most) {
    this.drop = drop;
    this.longest = longest;
    this.clock = clock;
    this.most = most;
  }

  /** Remembers that copies of {@code key} are not to be believed. */
  synchronized void add(OperationKey key) {
    Instant now = clock.instant();
    until.values().removeIf(end -> !end.isAfter(now));
    Instant end = now.plus(longest);
    if (until.size() < most || until.containsKey(key)) {
      until.put(key, end);
    } else {
      noneBefore = end;
    }
  }

  synchronized boolean contains(OperationKey key) {
    if (until.isEmpty() && noneBefore.equals(Instant.MIN)) {
      return false;
    }
    Instant now = clock.instant();
    Instant end = until.get(key);
    return now.isBefore(noneBefore) || (end != null && now.isBefore(end));
  }

  /** Drops the copy of {@code key} in the background, until that is confirmed or it has ended. */
  synchronized void dropLater(OperationKey key) {
    if (pending.size() >= most) {
      LOG.log(
          Level.WARNING,
          "More than {0} forgotten answers wait for the near side: other processes may replay some"
              + " for up to {1}",
          most,
          longest);
      return;
    }
    pending.put(key, clock.instant().plus(longest));
    if (!isRunning && !isClosed) {
      Thread thread = new Thread(this::run, "retrysafe-near-forget");
      thread.setDaemon(true);
      thread.start();
      isRunning = true;
    }
  }

  private void run() {
    for (Optional<OperationKey> next = next(); next.isPresent(); next = next()) {
      OperationKey key = next.get();
      try {
        if (drop.test(key)) {
          done(key);
        } else {
          pause();
        }
      } catch (InterruptedException e) {
        close();
      } catch (Throwable e) {
        LOG.log(Level.WARNING, "A forgotten answer could not be dropped; it is tried again", e);
        pauseQuietly();
      }
    }
  }

  /** Returns the oldest key that is to be dropped, or ends the thread. */
  private synchronized Optional<OperationKey> next() {
    Instant now = clock.instant();
    pending.values().removeIf(end -> !end.isAfter(now));
    if (pending.isEmpty() || isClosed) {
      isRunning = false;
      return Optional.empty();
    }
    return Optional.of(pending.keySet().iterator().next());
  }

  private synchronized void done(OperationKey key) {
    pending.remove(key);
  }

  private static void pause() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
  }

  private void pauseQuietly() {
    try {
      pause();
    } catch (InterruptedException e) {
      close();
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
  }
}
