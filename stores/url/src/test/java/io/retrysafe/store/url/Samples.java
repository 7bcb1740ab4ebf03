// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** An operation for tests that do not care which. */
final class Samples {
  private static final Outcome DONE = Outcome.of(Bytes.utf8("done"));

  private Samples() {}

  /** Runs an operation and returns its key. */
  static OperationKey settled(Store store) {
    OperationKey key = OperationKey.of(Scope.of("merchant_7", "pay"), UUID.randomUUID() + "");
    Claim claim = claim(key);
    store.claim(claim);
    if (!store.complete(claim.owner(), DONE, Duration.ofHours(1))) {
      throw new AssertionError("an owner could not settle");
    }
    return key;
  }

  /** Returns whether a retry gets the answer. */
  static boolean isReplayed(Store store, OperationKey key) {
    return store.claim(claim(key)) instanceof Held held
        && held.entry().outcome().equals(Optional.of(DONE));
  }

  private static Claim claim(OperationKey key) {
    return new Claim(
        key, Fingerprint.NONE, Token.of(UUID.randomUUID()), Duration.ofSeconds(30), TakeOver.NONE);
  }
}
