// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.store.testkit.QueuedFixture;
import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;

/** The contract through the queue of a layered store, with PostgreSQL and Redis. */
final class QueuedRecordContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    return QueuedFixture.of(new PostgresRecordFixture());
  }
}
