// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;

/** The contract with PostgreSQL as the record and copies in Redis, as it is run. */
final class PostgresRecordContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    return new PostgresRecordFixture();
  }
}
