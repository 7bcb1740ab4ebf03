// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;
import io.retrysafe.testing.servers.MariaDbServer;

final class MariaDbContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    MariaDbServer server = MariaDbServer.start();
    return new JdbcFixture(Databases.mariaDb(server), server::close);
  }
}
