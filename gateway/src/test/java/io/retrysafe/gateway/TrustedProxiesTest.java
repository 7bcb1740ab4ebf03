// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.TrustedProxies;
import io.retrysafe.gateway.config.source.ConfigSource;
import io.retrysafe.http.settings.Anonymous;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whose word about a request's origin and account counts. */
class TrustedProxiesTest extends GatewayTests {
  private static final String PROXY = "127.0.0.2";
  private static final String FORWARDED =
      String.join(
          "\r\n",
          "X-Forwarded-For: 6.6.6.6, 203.0.113.7",
          "X-Forwarded-For: 10.0.0.1",
          "X-Forwarded-Proto: https",
          "X-Forwarded-Host: shop.example",
          "X-Forwarded-Port: 443",
          "Forwarded: for=203.0.113.7",
          "X-Real-IP: 6.6.6.6",
          "");

  private static Wire.Reply call(Gateway gateway, String from, String request) throws IOException {
    try (Wire wire = new Wire(port(gateway), InetAddress.getByName(from))) {
      return wire.send(request).read();
    }
  }

  private Gateway behindProxy(Upstream upstream) {
    return gateway(
        upstream,
        c ->
            c.account(AccountResolver.header("X-Account"))
                .anonymous(Anonymous.REFUSE)
                .trustedProxies(TrustedProxies.of(List.of("127.0.0.2/32"))));
  }

  @Test
  void aTrustedProxysWordIsKeptAndCompleted() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = behindProxy(upstream);

    call(gateway, PROXY, Wire.get("/x", FORWARDED));
    call(gateway, PROXY, Wire.post("/x", key, FORWARDED + "X-Account: ada\r\n", "{}"));
    call(gateway, PROXY, Wire.get("/x", ""));

    for (Upstream.Asked asked : upstream.asked().subList(0, 2)) {
      assertThat(asked.all("X-Forwarded-For"))
          .containsExactly("6.6.6.6, 203.0.113.7, 10.0.0.1, 127.0.0.2");
      assertThat(asked.all("X-Forwarded-Proto")).containsExactly("https");
      assertThat(asked.all("X-Forwarded-Host")).containsExactly("shop.example");
      assertThat(asked.all("X-Forwarded-Port")).containsExactly("443");
      assertThat(asked.all("X-Real-IP")).isEmpty();
      assertThat(asked.all("Forwarded"))
          .containsExactly("for=203.0.113.7, for=127.0.0.2;host=\"test\";proto=http");
    }
    assertThat(upstream.asked().get(2).all("X-Forwarded-For")).containsExactly("127.0.0.2");
    assertThat(upstream.asked().get(2).all("X-Forwarded-Proto")).containsExactly("http");
  }

  @Test
  void anybodyElsesWordIsReplaced() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = behindProxy(upstream);

    call(gateway, "127.0.0.3", Wire.get("/x", FORWARDED));

    Upstream.Asked asked = upstream.asked().get(0);
    assertThat(asked.all("X-Forwarded-For")).containsExactly("127.0.0.3");
    assertThat(asked.all("X-Forwarded-Proto")).containsExactly("http");
    assertThat(asked.all("X-Forwarded-Host")).containsExactly("test");
    assertThat(asked.all("X-Forwarded-Port")).isEmpty();
    assertThat(asked.all("Forwarded")).containsExactly("for=127.0.0.3;host=\"test\";proto=http");
  }

  @Test
  void onlyATrustedProxyMayNameTheAccount() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = behindProxy(upstream);
    String request = Wire.post("/payments", key, "X-Account: ada\r\n", "{}");

    assertThat(call(gateway, PROXY, request).status()).isEqualTo(201);
    assertThat(call(gateway, PROXY, request).isReplayed()).isTrue();
    for (String spoofed :
        List.of(
            request,
            Wire.post("/payments", key, "x-account: ada\r\n", "{}"),
            Wire.post("/payments", key, "X_Account: ada\r\n", "{}"),
            Wire.get("/payments", "X-Account: ada\r\n"))) {
      Wire.Reply reply = call(gateway, "127.0.0.3", spoofed);
      assertThat(reply.status()).as(spoofed).isEqualTo(401);
      assertThat(reply.problem()).isEqualTo("account-refused");
    }
    // An upstream that reads _ as - would see two accounts, or only the client's.
    assertThat(call(gateway, PROXY, Wire.get("/x", "X_Account: eve\r\n")).status()).isEqualTo(401);
    assertThat(call(gateway, "127.0.0.3", Wire.get("/x", "")).status()).isEqualTo(201);
    assertThat(upstream.asked()).hasSize(2);
  }

  @Test
  void anAccountHeaderThatAnybodyCouldSendStopsTheStart() {
    String upstream = "upstream";
    Map<String, String> open =
        Map.of(
            upstream,
            "http://127.0.0.1:9",
            "listen",
            ":8080",
            "anonymous",
            "refuse",
            "account",
            "{ header: X-Account }");

    assertThatThrownBy(() -> ConfigSource.create(open, Map.of()).get())
        .hasMessageContaining("trusted-proxies")
        .hasMessageContaining("account-header-trusted: true");
    for (String[] setting :
        new String[][] {
          {"trusted-proxies", "10.0.0.0/8"},
          {"trusted-proxies", "[10.0.0.0/8, 'fd00::/8']"},
          {"account-header-trusted", "true"},
          {"listen", "127.0.0.1:8080"},
          {"account", "authorization"}
        }) {
      Map<String, String> flags = new java.util.HashMap<>(open);
      flags.put(setting[0], setting[1]);
      assertThat(ConfigSource.create(flags, Map.of()).get()).as(setting[0]).isNotNull();
    }
    Map<String, String> both = new java.util.HashMap<>(open);
    both.put("trusted-proxies", "10.0.0.0/8");
    both.put("account-header-trusted", "true");
    assertThatThrownBy(() -> ConfigSource.create(both, Map.of()).get())
        .hasMessageContaining("leave one of them out");
  }
}
