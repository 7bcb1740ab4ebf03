// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deadlines are checked whatever another check does. */
class WatchdogTest {
  private final Watchdog watchdog = new Watchdog();
  private final List<Long> checked = new ArrayList<>();

  @Test
  void anErrorInOneCheckStopsNoOther() {
    watchdog.watch(
        now -> {
          checked.add(-now);
          throw new AssertionError("thrown by the test");
        });
    watchdog.watch(checked::add);

    watchdog.checkAll(1);
    watchdog.checkAll(2);

    assertThat(checked).containsExactly(-1L, 1L, -2L, 2L);
  }

  @Test
  void workThatIsDoneIsNotCheckedAgain() {
    Watchdog.Watched[] own = new Watchdog.Watched[1];
    own[0] =
        now -> {
          checked.add(now);
          watchdog.done(own[0]);
        };
    watchdog.watch(own[0]);

    watchdog.checkAll(1);
    watchdog.checkAll(2);

    assertThat(checked).containsExactly(1L);
  }
}
