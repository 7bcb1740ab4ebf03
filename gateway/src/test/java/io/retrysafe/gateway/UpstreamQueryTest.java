// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayRoute;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Questions about requests for which there was no connection in time. */
class UpstreamQueryTest extends GatewayTests {

  private String asking(String when) {
    return Wire.post("/payments", key, "X-Asked: " + when + "\r\n", "{}");
  }

  @Test
  void whatNobodyWaitsForAnyMoreIsNotAsked() throws Exception {
    Certificate certificate = Certificate.create();
    ServerSocket listener =
        certificate
            .showing()
            .getServerSocketFactory()
            .createServerSocket(0, 10, InetAddress.getLoopbackAddress());
    started(listener);
    URI authorize = URI.create("https://localhost:" + listener.getLocalPort() + "/may");
    Gateway gateway =
        gateway(
            started(Upstream.charging()),
            c ->
                c.limits(limits().upstreamConnections(1).answerTimeout(Duration.ofSeconds(2)))
                    .upstreamRoots(certificate.tls().certificate())
                    .route(GatewayRoute.create("POST /payments").authorize(authorize)));
    try (Wire wire = new Wire(port(gateway))) {
      assertThat(wire.send(asking("never")).read().text()).isEqualTo("charge 1");

      // There is a listener, but nobody yet to shake hands with.
      assertThat(wire.send(asking("early")).read().problem()).isEqualTo("authorizer-unavailable");
      Upstream authorizer =
          started(new Upstream((asked, socket) -> Upstream.write(socket, 200, "yes"), listener));
      until(() -> wire.send(asking("late")).read().isReplayed());

      assertThat(authorizer.asked())
          .isNotEmpty()
          .allMatch(asked -> asked.all("X-Asked").equals(List.of("late")));
    }
  }
}
