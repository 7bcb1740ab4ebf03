// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.testkit.QueuedFixture;
import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;
import io.retrysafe.testing.servers.PostgresServer;

final class PostgresQueueContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    PostgresServer server = PostgresServer.start();
    return QueuedFixture.of(new JdbcFixture(Databases.postgres(server), server::close));
  }
}
