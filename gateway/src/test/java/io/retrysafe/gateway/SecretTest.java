// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.gateway.account.ServerSecret;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.source.ConfigSource;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The secret that makes accounts of credentials, and how gateways agree on it. */
class SecretTest extends GatewayTests {
  private static final String ONE = "0123456789abcdef0123456789abcdef";
  private static final String TWO = "0123456789abcdef0123456789abcdeX";
  private static final String BEARER = "Authorization: Bearer weak\r\n";

  private static ServerSecret secret(String text) {
    return ServerSecret.of(text.getBytes(UTF_8));
  }

  private static String hmac(String secret, String text) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)));
  }

  private Gateway gateway(Upstream upstream, Store other) {
    return started(Gateway.start(config(upstream.url()).build(), other));
  }

  private static String operations(Gateway gateway) throws Exception {
    return Wire.call(
            gateway.adminAddress().getPort(),
            Wire.get("/api/operations", "Authorization: Bearer viewer-secret-123\r\n"))
        .text();
  }

  @Test
  void gatewaysWithoutOneShareTheOneThatTheStoreKeeps() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway one = gateway(upstream);
    Gateway other = gateway(upstream);

    assertThat(Wire.call(port(one), Wire.post("/x", key, BEARER, "{}")).status()).isEqualTo(201);
    assertThat(Wire.call(port(other), Wire.post("/x", key, BEARER, "{}")).isReplayed()).isTrue();

    byte[] digest = MessageDigest.getInstance("SHA-256").digest("Bearer weak".getBytes(UTF_8));
    assertThat(operations(one))
        .contains("hmac:")
        .doesNotContain("sha256:")
        .doesNotContain(HexFormat.of().formatHex(digest))
        .doesNotContain("weak");
  }

  @Test
  void gatewaysWhoseSecretsDifferDoNotStart() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway running = gateway(upstream, c -> c.secret(secret(ONE)));

    assertThat(gateway(upstream, c -> c.secret(secret(ONE)))).isNotNull();
    assertThatThrownBy(() -> gateway(upstream, c -> c.secret(secret(TWO))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("give all gateways the same secret-file or RETRYSAFE_SECRET")
        .hasMessageNotContaining(TWO);
    assertThatThrownBy(() -> gateway(upstream)).hasMessageContaining("kept in the store");
    assertThat(((Secrets) store).keep("gateway-secret-check", Bytes.utf8("x")).toUtf8())
        .isEqualTo(hmac(ONE, "check\0"))
        .doesNotContain(ONE);
    assertThatThrownBy(() -> running.reload(config(upstream.url()).secret(secret(TWO)).build()))
        .hasMessageContaining("secret-file cannot change");
  }

  @Test
  void aStoreThatKeepsNoSecretsNeedsOneInTheConfiguration() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Store plain = Intercepted.store(store, (method, inside) -> inside.call(), Steps.class);

    assertThatThrownBy(() -> gateway(upstream, plain))
        .hasMessageContaining("set secret-file or RETRYSAFE_SECRET");
    GatewayConfig config = config(upstream.url()).secret(secret(ONE)).build();
    assertThat(started(Gateway.start(config, plain))).isNotNull();
  }

  @Test
  void aStoreThatIsSilentAtTheStartGivesTheSecretLater() throws Exception {
    Upstream upstream = started(Upstream.charging());
    AtomicBoolean isSilent = new AtomicBoolean(true);
    Gateway gateway =
        gateway(
            upstream,
            Intercepted.store(
                store,
                (method, inside) -> {
                  if (isSilent.get() && method.equals("keep")) {
                    throw new NoAnswerException("silent", null);
                  }
                  return inside.call();
                }));

    Wire.Reply reply = Wire.call(port(gateway), Wire.post("/x", key, BEARER, "{}"));
    assertThat(reply.status()).isEqualTo(503);
    assertThat(reply.problem()).isEqualTo("store-unavailable");
    assertThat(metrics(gateway)).contains("retrysafe_ready 0");
    assertThat(upstream.asked()).isEmpty();

    isSilent.set(false);
    until(() -> metrics(gateway).contains("retrysafe_ready 1"));
    assertThat(Wire.call(port(gateway), Wire.post("/x", key, BEARER, "{}")).status())
        .isEqualTo(201);
  }

  @Test
  void itComesFromAFileOrTheEnvironment(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), ONE + "\n");
    Path shorter = Files.writeString(folder.resolve("short"), "0123456789\n");
    Map<String, String> upstream = Map.of("upstream", "http://127.0.0.1:9");
    Map<String, String> named =
        Map.of("upstream", "http://127.0.0.1:9", "secret-file", file.toString());

    assertThat(ConfigSource.create(named, Map.of()).get().secret()).isEqualTo(secret(ONE));
    assertThat(ConfigSource.create(upstream, Map.of("RETRYSAFE_SECRET", ONE)).get().secret())
        .isEqualTo(secret(ONE));
    String odd = "[" + TWO;
    assertThat(ConfigSource.create(upstream, Map.of("RETRYSAFE_SECRET", odd)).get().secret())
        .isEqualTo(secret(odd));
    assertThat(ConfigSource.create(upstream, Map.of()).get().secret()).isNull();
    assertThatThrownBy(() -> ConfigSource.create(named, Map.of("RETRYSAFE_SECRET", ONE)).get())
        .hasMessageContaining("keep one of them")
        .hasMessageNotContaining(ONE);
    assertThatThrownBy(
            () -> ConfigSource.create(upstream, Map.of("RETRYSAFE_SECRET", "tooshort")).get())
        .hasMessageContaining("at least 32 bytes, had 8")
        .hasMessageNotContaining("tooshort");
    assertThatThrownBy(
            () ->
                ConfigSource.create(
                        Map.of("upstream", "http://127.0.0.1:9", "secret-file", shorter.toString()),
                        Map.of())
                    .get())
        .hasMessageContaining("at least 32 bytes, had 10");
    assertThatThrownBy(() -> ConfigSource.create(Map.of("secret", ONE), Map.of()).get())
        .hasMessageContaining("secret")
        .hasMessageNotContaining(ONE);
  }
}
