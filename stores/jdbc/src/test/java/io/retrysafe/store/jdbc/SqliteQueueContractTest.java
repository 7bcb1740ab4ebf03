// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.testkit.QueuedFixture;
import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;

final class SqliteQueueContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    return QueuedFixture.of(new JdbcFixture(Databases.sqlite(Databases.newFile()), () -> {}));
  }
}
