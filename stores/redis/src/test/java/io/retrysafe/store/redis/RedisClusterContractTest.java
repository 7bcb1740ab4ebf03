// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;
import io.retrysafe.testing.servers.RedisCluster;

final class RedisClusterContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    RedisCluster cluster = RedisCluster.start();
    return new RedisFixture(cluster.url(), cluster.nodes(), cluster::close);
  }
}
