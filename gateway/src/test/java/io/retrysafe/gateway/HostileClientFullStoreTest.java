// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.gateway.HostileClient.Protocol;
import io.retrysafe.gateway.HostileClientTable.Answer;
import java.io.IOException;

/** A store with more bytes than it may have: honest clients get what is recorded. */
class HostileClientFullStoreTest extends HostileClientQuotas {
  HostileClientFullStoreTest() {
    super("store-limit", "200KiB", Answer.of(507, "store-full"));
  }

  @Override
  void serve(Protocol protocol) throws IOException {
    assertKnownIsReplayed(protocol);
    serveAdmin(protocol);
  }
}
