// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.HostileClientTable.HTTP_1;

import io.retrysafe.gateway.HostileClientTable.Answer;
import io.retrysafe.gateway.HostileClientTable.Port;
import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.TrustedProxies;
import java.util.List;

/** Clients that name an account which only a trusted proxy may name. */
class HostileClientAccountsTest extends HostileClientTests {
  private static final Answer REFUSED = Answer.of(401, "account-refused");

  @Override
  GatewayConfig.Builder config(GatewayConfig.Builder config) {
    return config
        .account(AccountResolver.header("X-Tenant"))
        .trustedProxies(TrustedProxies.of(List.of("10.0.0.1")));
  }

  private static HostileClientRequest as(String header, String account) {
    return HostileClientRequest.of("POST", "/payments", header, account)
        .with("idempotency-key", "known")
        .body("{}");
  }

  @Override
  void attacks(HostileClientTable table) {
    for (String name : List.of("x-tenant", "x_tenant")) {
      table.inEveryWay(
          Port.REQUESTS,
          "the account header " + name + " of a stranger",
          as(name, "victim"),
          REFUSED,
          as(name, "v\u00efctim").with(name, "victim"),
          REFUSED);
      table.answered(
          Port.REQUESTS,
          "the account header " + name + " without a key",
          HostileClientRequest.of("GET", "/payments", name, "victim"),
          REFUSED);
      table.answered(
          Port.REQUESTS,
          "the account header " + name + " of 10 KB",
          as(name, "v".repeat(10_000)),
          REFUSED);
      table.answered(
          Port.REQUESTS,
          "the account header " + name + " and a forged origin",
          as(name, "victim").with("x-forwarded-for", "10.0.0.1").with("forwarded", "for=10.0.0.1"),
          REFUSED);
    }
    table.on(
        Port.REQUESTS,
        HTTP_1,
        "the account header X_TENANT of a stranger",
        client -> REFUSED.check(as("X_TENANT", "victim").send(client)));
  }
}
