// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.source.ConfigSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Accounts by verified token, through a gateway that was configured by a file. */
class JwtTest extends GatewayTests {
  private static final String FILE =
      """
      upstreams: { app: %s }
      listen: 127.0.0.1:0
      admin: 127.0.0.1:0
      name: test
      admin-token: admin-secret-1234
      admin-hosts: test
      anonymous: refuse
      account: { jwt: sub, keys: keys.json, issuer: "https://issuer.example", audience: payments }
      """;

  private final Path folder;
  private Issuer issuer;
  private Upstream upstream;
  private Gateway gateway;

  JwtTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void start() throws Exception {
    issuer = Issuer.create("2026-11");
    upstream = started(Upstream.charging());
    keys(Issuer.set(issuer));
    Path file = Files.writeString(folder.resolve("gateway.yaml"), FILE.formatted(upstream.url()));
    ConfigSource source = ConfigSource.ofFile(file);
    gateway = started(Gateway.builder(source.get(), store).source(source).start());
  }

  private void keys(String set) throws IOException {
    Files.writeString(folder.resolve("keys.json"), set);
  }

  private Wire.Reply pay(String token) throws IOException {
    String bearer = "Authorization: Bearer " + token + "\r\n";
    return Wire.call(port(gateway), Wire.post("/payments", key, bearer, "{}"));
  }

  private void assertRefused(String token) throws IOException {
    Wire.Reply reply = pay(token);
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.problem()).isEqualTo("account-refused");
    assertThat(reply.header("WWW-Authenticate")).contains("Bearer error=\"invalid_token\"");
    assertThat(upstream.asked()).isEmpty();
  }

  private String with(String claim, Object value) throws Exception {
    Map<String, Object> claims = new HashMap<>(Issuer.claims("merchant_7"));
    claims.put(claim, value);
    return issuer.token(claims);
  }

  private int reload() throws IOException {
    String bearer = "Authorization: Bearer admin-secret-1234\r\n";
    return Wire.call(gateway.adminAddress().getPort(), Wire.post("/api/reload", key, bearer, ""))
        .status();
  }

  @Test
  void theAccountIsTheCallerAndNotTheToken() throws Exception {
    String first = issuer.token(Issuer.claims("merchant_7"));
    String renewed = with("exp", System.currentTimeMillis() / 1000 + 900);

    assertThat(pay(first).text()).isEqualTo("charge 1");
    assertThat(pay(renewed).isReplayed()).isTrue();
    assertThat(pay(issuer.token(Issuer.claims("merchant_8"))).text()).isEqualTo("charge 2");
    assertThat(upstream.asked().get(0).all("Authorization")).containsExactly("Bearer " + first);
  }

  @Test
  void tokensThatDoNotHoldAreRefusedAndNothingIsSent() throws Exception {
    assertRefused(with("exp", System.currentTimeMillis() / 1000 - 600));
    assertRefused(with("iss", "https://other.example"));
    assertRefused(with("aud", "mails"));
    assertRefused(Issuer.create("2026-11").token(Issuer.claims("merchant_7")));
    assertRefused(issuer.unsigned(Issuer.claims("merchant_7")));
    assertRefused(issuer.signedWithThePublicKey(Issuer.claims("merchant_7")));
    assertRefused("");
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).problem())
        .isEqualTo("account-missing");
  }

  @Test
  void keysAreRotatedByAReload() throws Exception {
    Issuer next = Issuer.create("2026-12");
    String before = issuer.token(Issuer.claims("merchant_7"));
    String after = next.token(Issuer.claims("merchant_7"));
    assertRefused(after);
    keys(Issuer.set(issuer, next));
    assertRefused(after);

    assertThat(reload()).isEqualTo(200);
    assertThat(pay(before).text()).isEqualTo("charge 1");
    assertThat(pay(after).isReplayed()).as("another key, the same caller").isTrue();

    keys(Issuer.set(next));
    assertThat(reload()).isEqualTo(200);
    assertThat(pay(before).status()).isEqualTo(401);
    assertThat(pay(after).isReplayed()).isTrue();

    keys("{}");
    assertThat(reload()).isEqualTo(400);
    assertThat(pay(after).isReplayed()).as("a reload that fails changes nothing").isTrue();
  }

  @Test
  void whatPassesIsTheUpstreamsToRefuse() throws Exception {
    String bad = "Authorization: Bearer " + issuer.unsigned(Issuer.claims("x")) + "\r\n";
    assertThat(Wire.call(port(gateway), Wire.get("/payments/1", bad)).status()).isEqualTo(201);

    Upstream other = started(Upstream.charging());
    String two =
        FILE.replace("app: %s", "app: %s, other: %s").formatted(upstream.url(), other.url())
            + "routes: [ { match: /other/**, upstream: other } ]\n";
    Files.writeString(folder.resolve("gateway.yaml"), two);
    assertThat(reload()).isEqualTo(200);

    assertThat(Wire.call(port(gateway), Wire.get("/other/1", bad)).status()).isEqualTo(201);
    assertThat(other.count("GET")).isEqualTo(1);
  }
}
