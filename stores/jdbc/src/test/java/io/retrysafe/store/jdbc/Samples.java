// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.UUID;

/** Claims and outcomes for tests that do not care which. */
final class Samples {
  static final Duration RETENTION = Duration.ofDays(1);
  static final Outcome DONE = Outcome.of(Bytes.utf8("done"));
  private static final Scope SCOPE = Scope.of("merchant_7", "POST", "/payments");

  private Samples() {}

  static OperationKey newKey() {
    return OperationKey.of(SCOPE, UUID.randomUUID().toString());
  }

  static OperationKey newKey(String account) {
    return OperationKey.of(Scope.of(account, "POST", "/payments"), UUID.randomUUID().toString());
  }

  static Claim claim(OperationKey key) {
    return claim(key, Duration.ofSeconds(30), TakeOver.NONE);
  }

  static Claim claim(OperationKey key, Duration lease, TakeOver takeOver) {
    return new Claim(key, Fingerprint.NONE, Token.of(UUID.randomUUID()), lease, takeOver);
  }
}
