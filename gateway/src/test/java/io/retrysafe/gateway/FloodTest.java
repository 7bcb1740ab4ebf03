// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Far more connections than a gateway takes, and what is left of them. */
class FloodTest extends GatewayTests {
  private static final int MANY = 150;

  @Test
  void aFloodIsCountedAndLeavesNothingBehind() throws Exception {
    Gateway gateway = gateway(started(Upstream.charging()), c -> c.limits(limits().connections(1)));
    AtomicInteger floods = new AtomicInteger();
    try (Wire one = new Wire(port(gateway))) {
      one.send(Wire.get("/x", "")).read();

      // Those that were told are closed soon: a slow flood never has too many of them at once.
      until(
          () -> {
            floods.incrementAndGet();
            return closedWithoutAWord(gateway) > 0;
          });
      assertThat(gateway.metrics().text(true))
          .contains("retrysafe_connections_refused_total " + floods.get() * MANY + "\n");
    }

    until(() -> isServed(gateway));
    until(() -> gateway.metrics().connections().sum() == 0);
  }

  private static long closedWithoutAWord(Gateway gateway) throws IOException {
    List<Wire> wires = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        wires.add(new Wire(port(gateway)));
      }
      return wires.stream().filter(Wire::isClosed).count();
    } finally {
      for (Wire wire : wires) {
        wire.close();
      }
    }
  }

  /** The one that was there may not be gone yet. */
  private static boolean isServed(Gateway gateway) {
    try (Wire wire = new Wire(port(gateway))) {
      return wire.send(Wire.get("/x", "")).read().status() == 201;
    } catch (IOException e) {
      return false;
    }
  }
}
