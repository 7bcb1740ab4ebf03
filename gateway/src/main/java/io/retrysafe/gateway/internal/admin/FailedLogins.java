// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Wrong tokens at the admin port, by address: each gets its answer later than the one before, and
 * the log says so. No thread waits meanwhile. For one event loop.
 */
final class FailedLogins {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final long FIRST_MILLIS = 100;
  private static final long LONGEST_MILLIS = 5_000;
  private static final long FORGOTTEN_AFTER = TimeUnit.MINUTES.toNanos(1);
  private static final long LINE_EVERY = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_ADDRESSES = 1_000;
  private static final int MOST_WAITING = 1_000;

  private final Map<String, Failures> byAddress =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
          return size() > MOST_ADDRESSES;
        }
      };
  private long lastLine = System.nanoTime() - LINE_EVERY;
  private long notLogged;
  private int waiting;

  private record Failures(int count, long last) {}

  /** Notes a failure and returns after how many milliseconds to answer; negative for not at all. */
  long failed(String address, long now) {
    Failures before = byAddress.remove(address);
    boolean isOld = before == null || now - before.last > FORGOTTEN_AFTER;
    int count = isOld ? 1 : before.count + 1;
    byAddress.put(address, new Failures(count, now));
    log(address, count, now);
    if (waiting >= MOST_WAITING) {
      return -1;
    }
    waiting++;
    return Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(count - 1, 10));
  }

  void answered() {
    waiting--;
  }

  private void log(String address, int count, long now) {
    if (now - lastLine < LINE_EVERY) {
      notLogged++;
      return;
    }
    lastLine = now;
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} used a token at the admin port that is wrong or has expired, {1} in a row; {2} more"
            + " since the last such line",
        address.isEmpty() ? "somebody" : address,
        count,
        notLogged);
    notLogged = 0;
  }
}
