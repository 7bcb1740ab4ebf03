// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.testkit.ContractStore;
import io.retrysafe.http.testkit.HttpContract;
import io.retrysafe.http.testkit.HttpFixture;

/** The HTTP contract for two gateways on one store in memory. */
class GatewayContractTest extends HttpContract {

  @Override
  protected HttpFixture fixture() {
    return new GatewayFixture(ContractStore::memory);
  }
}
