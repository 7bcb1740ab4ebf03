// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.testkit.HttpContract;
import io.retrysafe.http.testkit.HttpFixture;

/** The HTTP contract for two gateways on one SQLite file. */
class GatewayOnSqliteContractTest extends HttpContract {

  @Override
  protected HttpFixture fixture() {
    return new GatewayFixture(SharedStores::sqlite);
  }
}
