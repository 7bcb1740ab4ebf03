// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The networks of trusted proxies, and the client address that they leave. */
class ClientAddressTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost",
        "proxy.example/8",
        "10.0.0.0/33",
        "10.0.0.0/",
        "10.0.0.0/-1",
        "10.0.0/8",
        "10.1.0.0/8",
        "fd00::1/8",
        "::/129",
        "fe80::1%eth0",
        "10.0.0.0/8/8"
      })
  void whatIsNotANetworkIsRefused(String wrong) {
    assertThatThrownBy(() -> TrustedProxies.of(List.of(wrong)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // peer | X-Forwarded-For | client
        "203.0.113.7 | 6.6.6.6 | 203.0.113.7",
        "10.1.2.3 | '' | 10.1.2.3",
        "10.1.2.3 | 6.6.6.6, 203.0.113.7 | 203.0.113.7",
        "10.1.2.3 | 6.6.6.6, 203.0.113.7, 10.9.9.9 | 203.0.113.7",
        "10.1.2.3 | 10.4.4.4, 10.5.5.5 | 10.4.4.4",
        "10.1.2.3 | 6.6.6.6, unknown, 10.5.5.5 | 10.5.5.5",
        "10.1.2.3 | localhost | 10.1.2.3",
        "10.1.2.3 | 203.0.113.7:4711 | 203.0.113.7",
        "10.1.2.3 | [2001:db8::1]:4711 | 2001:db8::1",
        "10.1.2.3 | 2001:DB8:0:0::1 | 2001:db8::1",
        "::ffff:10.1.2.3 | ::ffff:203.0.113.7 | 203.0.113.7",
        "0:0:0:0:0:ffff:a01:203 | 203.0.113.7 | 203.0.113.7",
        "fd00::5 | 203.0.113.7, fdff::1 | 203.0.113.7",
        "fc00::5 | 203.0.113.7 | fc00::5",
        "fd00::5%eth0 | 203.0.113.7 | 203.0.113.7",
        "192.168.7.1 | 203.0.113.7 | 203.0.113.7",
        "192.168.8.1 | 203.0.113.7 | 192.168.8.1",
        "172.16.0.1 | 203.0.113.7 | 203.0.113.7",
        "172.16.0.2 | 203.0.113.7 | 172.16.0.2",
      })
  void theClientIsTheRightmostAddressThatIsNotTrusted(String peer, String sent, String client) {
    TrustedProxies proxies =
        TrustedProxies.of(
            List.of("10.0.0.0/8", "fd00::/8", "::ffff:192.168.0.0/117", "172.16.0.1"));

    assertThat(proxies.client(peer, List.of(sent))).isEqualTo(client);
    assertThat(proxies.client(null, List.of(sent))).isEmpty();
  }
}
