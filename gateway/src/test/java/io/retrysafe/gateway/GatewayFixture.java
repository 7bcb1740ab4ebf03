// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.testkit.ApplicationServer;
import io.retrysafe.http.testkit.ContractStore;
import io.retrysafe.http.testkit.HttpFixture;
import io.retrysafe.http.testkit.Instance;
import io.retrysafe.http.testkit.Setup;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.function.Supplier;

/** The gateway before the contract's application. */
record GatewayFixture(Supplier<ContractStore> stores) implements HttpFixture {

  @Override
  public ContractStore store() {
    return stores.get();
  }

  @Override
  public Instance start(Setup setup) throws IOException {
    ApplicationServer application = ApplicationServer.start(setup.application());
    GatewayConfig.Builder config =
        GatewayConfig.builder(URI.create("http://127.0.0.1:" + application.port()))
            .listen(Listen.parse("127.0.0.1:0"))
            .admin(Listen.parse("127.0.0.1:0"))
            .policy(setup.policy())
            .anonymous(Anonymous.REFUSE)
            .account(AccountResolver.header(Setup.ACCOUNT))
            .limits(
                Limits.create()
                    .storeDeadline(Duration.ofSeconds(1))
                    .stopWithin(Duration.ofMillis(500)));
    setup
        .routes()
        .forEach((match, policy) -> config.route(GatewayRoute.create(match).policy(policy)));
    Gateway gateway = Gateway.start(config.build(), setup.store());
    return new Instance() {
      @Override
      public int port() {
        return gateway.address().getPort();
      }

      @Override
      public void close() throws IOException {
        gateway.close();
        application.close();
      }
    };
  }
}
