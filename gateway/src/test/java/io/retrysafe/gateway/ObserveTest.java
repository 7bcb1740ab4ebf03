// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Mode;
import org.junit.jupiter.api.Test;

/** Observe mode: everything passes, and what would have been stopped is counted. */
class ObserveTest extends GatewayTests {
  private static final String NO_KEY =
      "POST /payments HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\n{}";

  private Gateway observing(Upstream upstream) {
    return gateway(
        upstream, c -> c.mode(Mode.OBSERVE).route(GatewayRoute.create("POST /payments")));
  }

  private static void untilCounted(Gateway gateway, String would, int count) throws Exception {
    String line =
        "retrysafe_observed_total{route=\"POST /payments\",would=\""
            + would
            + "\"} "
            + count
            + "\n";
    until(() -> metrics(gateway).contains(line));
  }

  @Test
  void duplicatesAndCallsWithoutKeysPassAndAreCounted() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = observing(upstream);

    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).text()).isEqualTo("charge 1");
    untilCounted(gateway, "first", 1);
    until(() -> metrics(gateway).contains("retrysafe_events_total{event=\"completed\"} 1"));
    Wire.Reply again = Wire.call(port(gateway), Wire.post("/payments", key));
    assertThat(again.text()).isEqualTo("charge 2");
    assertThat(again.isReplayed()).isFalse();
    untilCounted(gateway, "replayed", 1);
    assertThat(Wire.call(port(gateway), NO_KEY).text()).isEqualTo("charge 3");
    untilCounted(gateway, "key-missing", 1);
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key, "", "other")).text())
        .isEqualTo("charge 4");
    untilCounted(gateway, "key-reused", 1);
    assertThat(upstream.asked()).hasSize(4);
    assertThat(upstream.asked().get(3).body()).isEqualTo("other".getBytes(UTF_8));
  }

  @Test
  void whatWasObservedDoesNotCountWhenTheGatewayActs() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = observing(upstream);
    Wire.call(port(gateway), Wire.post("/payments", key));
    untilCounted(gateway, "first", 1);

    Gateway acting = gateway(upstream);

    assertThat(Wire.call(port(acting), Wire.post("/payments", key)).text()).isEqualTo("charge 2");
  }

  @Test
  void failuresPassToo() throws Exception {
    Upstream upstream = started(new Upstream((asked, socket) -> false));
    Gateway gateway = observing(upstream);

    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).status()).isEqualTo(504);
    untilCounted(gateway, "first", 1);
    until(() -> metrics(gateway).contains("retrysafe_events_total{event=\"released\"} 1"));
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).status()).isEqualTo(504);
    untilCounted(gateway, "outcome-unknown", 1);

    assertThat(upstream.asked()).hasSize(2);
  }
}
