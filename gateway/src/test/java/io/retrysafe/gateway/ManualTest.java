// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.ForwardKey;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Listen;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.Test;

/** What docs/gateway.md shows. */
class ManualTest extends GatewayTests {

  @Test
  void aGatewayIsStartedFromJava() throws Exception {
    Upstream upstream = started(Upstream.charging());

    assertThat(started(upstream, Wire.post("/payments", key)).text()).isEqualTo("charge 1");
    assertThat(started(upstream, Wire.post("/payments", key)).isReplayed()).isTrue();
  }

  private Wire.Reply started(Upstream upstream, String request) throws IOException {
    // snippet:start
    GatewayConfig config =
        GatewayConfig.builder(URI.create("http://127.0.0.1:" + upstream.port()))
            .listen(Listen.parse("127.0.0.1:0"))
            .admin(Listen.parse("127.0.0.1:0"))
            .route(GatewayRoute.create("POST /payments").forwardKey(ForwardKey.DERIVED))
            .build();
    try (Gateway gateway = Gateway.start(config, store)) {
      return Wire.call(gateway.address().getPort(), request);
    }
    // end
  }
}
