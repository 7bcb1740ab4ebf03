// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Failed logins at the admin port by client. Each gets its answer later than the one before,
 * without holding a thread, and is logged. Belongs to one event loop.
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

  /**
   * Counts a failure; returns the delay of the answer in milliseconds, or a negative number for no
   * answer.
   */
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
        "{0} sent a wrong or expired token to the admin port, {1} in a row; {2} more"
            + " since the last such line",
        address.isEmpty() ? "an unknown address" : address,
        count,
        notLogged);
    notLogged = 0;
  }
}
