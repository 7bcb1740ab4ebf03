// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.store.testkit.QueuedFixture;
import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;
import io.retrysafe.testing.servers.RedisServer;
import java.util.List;

final class RedisQueueContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    RedisServer server = RedisServer.start();
    return QueuedFixture.of(new RedisFixture(server.url(), List.of(server), server::close));
  }
}
