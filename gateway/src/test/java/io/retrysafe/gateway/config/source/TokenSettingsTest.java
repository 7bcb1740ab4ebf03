// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.gateway.config.AdminToken;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Tokens;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The tokens of the admin API in a configuration file. */
class TokenSettingsTest {
  private static String sha256(String token) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
    return HexFormat.of().formatHex(digest);
  }

  @Test
  void tokensAreReadFromAFileAndChecked() throws Exception {
    String digest = sha256("the-token-of-ada");
    String upstream = "upstreams: { app: http://127.0.0.1:9 }\n";
    GatewayConfig config =
        ConfigSource.create(Map.of(), Map.of())
            .ofText(
                "x",
                upstream
                    + "tokens:\n  - { name: ada, role: operator, sha256: "
                    + digest.toUpperCase(java.util.Locale.ROOT)
                    + ", expires: 2027-01-31 }\n");

    assertThat(config.tokens().named())
        .containsExactly(
            new AdminToken(
                "ada", AdminToken.Role.OPERATOR, digest, Instant.parse("2027-01-31T00:00:00Z")));
    for (String wrong :
        List.of(
            "{ name: a, role: king, sha256: " + digest + " }",
            "{ name: a, role: viewer, sha256: abc }",
            "{ role: viewer, sha256: " + digest + " }",
            "{ name: a, sha256: " + digest + " }",
            "{ name: a, role: viewer, sha256: " + digest + ", expires: soon }",
            "{ name: a, role: viewer, sha256: " + digest + ", extra: 1 }",
            "{ name: a, role: viewer, sha256: "
                + digest
                + " }, { name: a, role: viewer, sha256: "
                + sha256("x")
                + " }")) {
      assertThatThrownBy(
              () ->
                  ConfigSource.create(Map.of(), Map.of())
                      .ofText("x", upstream + "tokens: [ " + wrong + " ]\n"))
          .as(wrong)
          .isInstanceOf(ConfigException.class);
    }
    assertThatThrownBy(() -> new Tokens("fifteen-letters", null))
        .hasMessageContaining("at least 16 characters, had 15");
    assertThat(new Tokens(null, null, config.tokens().named()).toString()).doesNotContain(digest);
  }
}
