// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.TrustedProxies;
import io.retrysafe.gateway.internal.wire.ClientCounts;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What one client may have open at once, by its address or by what a trusted proxy reports. */
class ClientLimitsTest extends GatewayTests {
  private static final String OTHER = "127.0.0.2";
  private static final String PROXY = "127.0.0.3";

  private final CountDownLatch go = new CountDownLatch(1);
  private final List<Wire> wires = new ArrayList<>();

  private Wire from(String address, Gateway gateway) throws IOException {
    Wire wire = started(new Wire(port(gateway), InetAddress.getByName(address)));
    wires.add(wire);
    return wire;
  }

  private static Wire.Reply get(Wire wire, String more) throws IOException {
    return wire.send(Wire.get("/x", more)).read();
  }

  @Test
  void oneConnectionTooManyOfAClientIsRefusedAndOthersAreServed() throws Exception {
    Gateway gateway =
        gateway(
            started(Upstream.charging()),
            c ->
                c.limits(limits().connectionsPerClient(2))
                    .trustedProxies(TrustedProxies.of(List.of(PROXY))));
    assertThat(get(from("127.0.0.1", gateway), "").status()).isEqualTo(201);
    assertThat(get(from("127.0.0.1", gateway), "").status()).isEqualTo(201);

    Wire.Reply refused = get(from("127.0.0.1", gateway), "");

    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.header("Retry-After")).contains("1");
    assertThat(get(from(OTHER, gateway), "").status()).isEqualTo(201);
    for (int i = 0; i < 4; i++) {
      assertThat(get(from(PROXY, gateway), "").status()).as("a proxy").isEqualTo(201);
    }
    assertThat(gateway.metrics().text(true)).contains("retrysafe_connections_refused_total 1\n");
    for (Wire wire : wires) {
      wire.close();
    }
    until(() -> isServed(gateway));
  }

  /** The connections that were there may not be gone yet. */
  private static boolean isServed(Gateway gateway) {
    try (Wire wire = new Wire(port(gateway))) {
      return get(wire, "").status() == 201;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void oneRequestTooManyOfAClientIsRefusedAndOthersAreServed() throws Exception {
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) ->
                    (!asked.line().contains("/held") || await())
                        && Upstream.write(socket, 201, "charged")));
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.limits(limits().requestsPerClient(1))
                    .trustedProxies(TrustedProxies.of(List.of(PROXY))));
    Wire held = from("127.0.0.1", gateway).send(Wire.get("/held", ""));
    Wire reported =
        from(PROXY, gateway).send(Wire.get("/held", "X-Forwarded-For: 9.9.9.9, 8.8.8.8\r\n"));
    until(() -> upstream.asked().size() == 2);

    assertRefused(get(from("127.0.0.1", gateway), ""));
    assertRefused(get(from(PROXY, gateway), "X-Forwarded-For: 8.8.8.8\r\n"));
    // The address that an untrusted client reports does not count.
    assertRefused(get(from("127.0.0.1", gateway), "X-Forwarded-For: 7.7.7.7\r\n"));
    assertThat(get(from(OTHER, gateway), "").status()).isEqualTo(201);
    assertThat(get(from(PROXY, gateway), "X-Forwarded-For: 9.9.9.9\r\n").status()).isEqualTo(201);

    go.countDown();
    assertThat(held.read().status()).isEqualTo(201);
    assertThat(reported.read().status()).isEqualTo(201);
    until(() -> gateway.clients().size() == 0);
    assertThat(get(from("127.0.0.1", gateway), "").status()).isEqualTo(201);
  }

  private boolean await() throws InterruptedException {
    return go.await(60, TimeUnit.SECONDS);
  }

  private static void assertRefused(Wire.Reply reply) {
    assertThat(reply.status()).isEqualTo(429);
    assertThat(reply.problem()).isEqualTo("too-many-operations");
    assertThat(reply.header("Retry-After")).isPresent();
  }

  @Test
  void addressesOfIpv6CountByTheirNetwork() {
    assertThat(ClientCounts.of("2001:db8:0:1::1"))
        .isEqualTo(ClientCounts.of("2001:db8:0:1:ffff::2"));
    assertThat(ClientCounts.of("2001:db8:0:1::1")).isNotEqualTo(ClientCounts.of("2001:db8:0:2::1"));
    assertThat(ClientCounts.of("10.0.0.1")).isNotEqualTo(ClientCounts.of("10.0.0.2"));
  }
}
