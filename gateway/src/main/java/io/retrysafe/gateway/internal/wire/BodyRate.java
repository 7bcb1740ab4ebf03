// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.retrysafe.gateway.config.Limits;

/**
 * Measures whether a body arrives at the minimum rate in every time window. Time in which the
 * gateway does not read does not count. Belongs to the event loop.
 */
public final class BodyRate {
  private static final double SECOND = 1e9;

  private final long perSecond;
  private final long window;
  private long since;
  private long before;
  private long bytes;
  private boolean isReading = true;

  private BodyRate(long perSecond, long window, long now) {
    this.perSecond = perSecond;
    this.window = window;
    this.since = now;
  }

  /** Starts measuring with the configured rate and window. */
  public static BodyRate start(Limits limits) {
    return new BodyRate(limits.bodyRate(), limits.bodyWindow().toNanos(), System.nanoTime());
  }

  public void took(int count) {
    bytes += count;
  }

  /** Notes that the gateway starts or stops reading. */
  public void reading(boolean isWanted) {
    if (isWanted != isReading) {
      isReading = isWanted;
      long now = System.nanoTime();
      if (!isWanted) {
        before += now - since;
      }
      since = now;
    }
  }

  /** Returns whether too little arrived in the window that has passed, and begins the next one. */
  public boolean isTooSlow(long now) {
    long elapsed = before + (isReading ? now - since : 0);
    if (perSecond == 0 || elapsed < window) {
      return false;
    }
    boolean isTooSlow = bytes < perSecond * (elapsed / SECOND);
    bytes = 0;
    before = 0;
    since = now;
    return isTooSlow;
  }
}
