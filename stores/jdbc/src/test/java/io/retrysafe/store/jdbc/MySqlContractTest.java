// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;
import io.retrysafe.testing.servers.MariaDbServer;

/**
 * The statements for MySQL on MariaDB, which understands them too. No MySQL can be had here: what
 * it would do differently is not seen by this.
 */
final class MySqlContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    MariaDbServer server = MariaDbServer.start();
    return new JdbcFixture(Databases.calledMySql(Databases.mariaDb(server)), server::close);
  }
}
