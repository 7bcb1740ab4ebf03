// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.store.jdbc.JdbcStore;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.sqlite.SQLiteDataSource;

/** A gateway on an SQLite file in a process of its own, to be killed. */
final class GatewayProcess {
  private GatewayProcess() {}

  /** Arguments: the upstream, the file. Prints the port when it listens. */
  public static void main(String[] args) throws Exception {
    SQLiteDataSource source = new SQLiteDataSource();
    source.setUrl("jdbc:sqlite:" + args[1]);
    JdbcStore store = JdbcStore.builder(source).applySchema(true).build();
    GatewayConfig.Builder config = GatewayTests.config(URI.create(args[0]));
    config.policy(config.policy().lease(Duration.ofSeconds(2)));
    Gateway gateway = Gateway.start(config.build(), store);
    System.out.println("port " + gateway.address().getPort());
    new CountDownLatch(1).await();
  }
}
