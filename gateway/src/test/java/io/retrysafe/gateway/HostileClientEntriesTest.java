// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.gateway.HostileClientTable.Answer;

/** An account with more operations than it may have. */
class HostileClientEntriesTest extends HostileClientQuotas {
  HostileClientEntriesTest() {
    super("entries-per-account", "4", Answer.of(429, "quota-exceeded"));
  }
}
