// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.gateway.HostileClientTable.Answer;

/** An account with more bytes than it may have. */
class HostileClientBytesTest extends HostileClientQuotas {
  HostileClientBytesTest() {
    super("bytes-per-account", "200KiB", Answer.of(429, "quota-exceeded"));
  }
}
