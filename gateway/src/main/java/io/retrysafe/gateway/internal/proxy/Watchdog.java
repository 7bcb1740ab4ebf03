// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Checks the deadlines of one event loop. Belongs to the event loop. */
final class Watchdog {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private final Set<Watched> watched = new LinkedHashSet<>();

  /** Work with a deadline. */
  interface Watched {
    /** Gives up if it is too late; {@code now} is {@link System#nanoTime}. */
    void check(long now);
  }

  /** Checks {@code work} periodically until {@link #done}. */
  void watch(Watched work) {
    watched.add(work);
  }

  void done(Watched work) {
    watched.remove(work);
  }

  void checkAll(long now) {
    for (Watched each : List.copyOf(watched)) {
      check(each, now);
    }
  }

  /** Checks one deadline. An error in one check must not stop the others. */
  static void check(Watched each, long now) {
    try {
      each.check(now);
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "a deadline could not be checked", e);
    }
  }
}
