// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClient.Protocol;
import io.retrysafe.gateway.HostileClientTable.Answer;
import io.retrysafe.gateway.HostileClientTable.Port;
import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.GatewayConfig;
import java.nio.charset.Charset;
import java.util.Base64;
import java.util.List;

/** Clients under {@code account: { basic: user }} that know a user and a key but no password. */
class HostileClientPasswordsTest extends HostileClientTests {
  private static final String KEY = key();
  private static final Answer NO_REPLAY = Answer.of(403, "replay-refused");
  private static final Answer NO_ACCOUNT = Answer.of(401, "account-refused");

  private static final List<String> GUESSES =
      List.of("ada:", "ada:Right", "ada:right ", "ada:right\0", "ada:" + "x".repeat(10_000));

  private static final List<String> MALFORMED =
      List.of("Basic", "Basic ", "Basic !!!", "Basic YQ", "Bearer YTpi", "YWRhOnJpZ2h0");

  @Override
  GatewayConfig.Builder config(GatewayConfig.Builder config) {
    return config.account(AccountResolver.basicUser());
  }

  @Override
  void prepare() throws Exception {
    for (Protocol protocol : List.of(Protocol.HTTP_1, Protocol.H2)) {
      Wire.Reply first = as(basic("ada:right", UTF_8)).send(client(Port.REQUESTS, protocol));
      assertThat(first.status()).isEqualTo(201);
    }
  }

  private static String basic(String text, Charset charset) {
    return "Basic " + Base64.getEncoder().encodeToString(text.getBytes(charset));
  }

  private static HostileClientRequest as(String authorization) {
    return HostileClientRequest.of("POST", "/payments", "authorization", authorization)
        .with("idempotency-key", KEY)
        .body("{}");
  }

  @Override
  void attacks(HostileClientTable table) {
    table.inEveryWay(
        Port.REQUESTS,
        "a wrong password",
        as(basic("ada:wrong", UTF_8)),
        NO_REPLAY,
        as(basic("ada", UTF_8)),
        NO_ACCOUNT);
    for (String guess : GUESSES) {
      table.answered(
          Port.REQUESTS,
          "the password " + HostileClientTable.shown(guess),
          as(basic(guess, UTF_8)),
          NO_REPLAY);
    }
    for (String authorization : MALFORMED) {
      table.answered(
          Port.REQUESTS, "the credentials " + authorization, as(authorization), NO_ACCOUNT);
    }
    table.answered(
        Port.REQUESTS,
        "the right credentials after others",
        as(basic("eve:own", UTF_8)).with("authorization", basic("ada:right", UTF_8)),
        NO_ACCOUNT);
    // A lenient decoder takes all bytes that are not UTF-8 for the same character.
    table.answered(
        Port.REQUESTS,
        "a user in another charset",
        as(basic("\u00e4da:right", ISO_8859_1)),
        NO_ACCOUNT);
  }
}
