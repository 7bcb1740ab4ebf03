// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.account.ServerSecret;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.RecoveryLookup;
import io.retrysafe.gateway.config.Tokens;
import io.retrysafe.http.Header;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

/** Who calls, and other small parts. */
class AccountsTest extends GatewayTests {

  private static List<Header> authorization(String value) {
    return List.of(new Header("authorization", value));
  }

  private static String basic(String text) {
    return "Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void anAuthorizationIsOnlyKnownByItsHmac() throws Exception {
    ServerSecret one = ServerSecret.of("0123456789abcdef0123456789abcdef".getBytes(UTF_8));
    ServerSecret other = ServerSecret.of("0123456789abcdef0123456789abcdeX".getBytes(UTF_8));
    AccountResolver resolver = AccountResolver.authorization().with(one);

    // printf 'account\0Bearer secret' | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
    assertThat(resolver.account(authorization("Bearer secret")))
        .isEqualTo("hmac:c6f36284c377c079ed73406a683e46f312c152304d51716fd7ece07d421189d3")
        .isNotEqualTo(resolver.account(authorization("Bearer other")))
        .isNotEqualTo(
            AccountResolver.authorization().with(other).account(authorization("Bearer secret")));
    assertThat(one.toString() + resolver).doesNotContain("0123456789abcdef");
    assertThat(resolver.account(List.of())).isNull();
    assertThat(resolver.account(authorization(" "))).isNull();
  }

  @Test
  void theUserOfBasicAuthenticationIsAnAccountWhateverItsPassword() throws Exception {
    AccountResolver resolver = AccountResolver.basicUser();

    assertThat(resolver.account(authorization(basic("ada:old")))).isEqualTo("ada");
    assertThat(resolver.account(authorization(basic("ada:new:er")))).isEqualTo("ada");
    assertThat(resolver.account(List.of())).isNull();
    for (String wrong : List.of("Bearer x", "Basic !", basic("nobody"), basic(":x"), "Basic")) {
      assertThatThrownBy(() -> resolver.account(authorization(wrong)))
          .isInstanceOf(AccountResolver.NotAuthenticatedException.class);
    }
  }

  @Test
  void twoLinesAreNoIdentity() {
    List<Header> two = List.of(new Header("X-Api-Key", "a"), new Header("x-api-key", "b"));

    assertThatThrownBy(() -> AccountResolver.header("X-Api-Key").account(two))
        .isInstanceOf(AccountResolver.NotAuthenticatedException.class);
  }

  @Test
  void anIdentityThatDoesNotHoldIsRefused() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream, c -> c.account(AccountResolver.basicUser()));

    Wire.Reply reply =
        Wire.call(port(gateway), Wire.post("/payments", key, "Authorization: Bearer x\r\n", "{}"));

    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.problem()).isEqualTo("account-refused");
    assertThat(upstream.asked()).isEmpty();
  }

  @Test
  void addressesAndLimitsAndUpstreamsSayWhatIsWrong() {
    assertThat(Listen.parse("[::1]:8080").isLoopback()).isTrue();
    assertThat(Listen.parse(":8080").toString()).isEqualTo("0.0.0.0:8080");
    assertThat(Listen.parse(":8080").isLoopback()).isFalse();
    for (String wrong : List.of("", "8080", "host:", "host:x", "host:70000")) {
      assertThatThrownBy(() -> Listen.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
    }
    for (String wrong :
        List.of("ftp://a", "http://a/path", "http://a?x=1", "http://u@a", "a:80", "http:///x")) {
      assertThatThrownBy(() -> GatewayConfig.builder(URI.create(wrong)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> Limits.create().answerTimeout(Duration.ZERO))
        .hasMessage("answer-timeout must be positive, was 0s");
    assertThatThrownBy(() -> Limits.create().bodyTimeout(Duration.ofDays(2)))
        .hasMessage("body-timeout must be at most 24h, was 2d");
    assertThatThrownBy(() -> new RecoveryLookup("/by-key", Duration.ofSeconds(1)))
        .hasMessageContaining("{key}");
    assertThatThrownBy(() -> RecoveryLookup.parse("POST /x/{key}", Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(new Tokens("a-very-long-secret", null).toString()).doesNotContain("secret");
    assertThatThrownBy(() -> new Tokens("short", null)).hasMessageNotContaining("short ");
  }

  @Test
  void logLinesAreJsonOnDemand() {
    LogRecord record = new LogRecord(Level.WARNING, "it \"broke\" on {0}");
    record.setParameters(new Object[] {"POST /x"});
    record.setLoggerName("io.retrysafe.gateway");
    record.setThrown(new IllegalStateException("why"));

    assertThat(new JsonLog().format(record))
        .endsWith("}\n")
        .contains("\"message\":\"it \\\"broke\\\" on POST /x\"")
        .contains("\"level\":\"WARNING\"")
        .contains("IllegalStateException: why");
  }
}
