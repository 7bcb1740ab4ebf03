// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.Bytes;
import io.retrysafe.Decision;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.operations.Operations;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** An operation that nobody asked for: it shows that the store claims, records and replays. */
final class SelfTest {
  /** Not the scope of any request: those have a method and a path. */
  static final Scope SCOPE = Operations.SELF_TEST;

  private static final Policy POLICY =
      Policy.create().lease(Duration.ofSeconds(10)).retention(Duration.ofMinutes(1));

  private final Retrysafe engine;
  private final OperationKey key = OperationKey.of(SCOPE, UUID.randomUUID().toString());

  SelfTest(Retrysafe engine) {
    this.engine = engine;
  }

  /** Returns the key, which can be asked for at any time. */
  OperationKey key() {
    return key;
  }

  /** Runs it; throws if the store does not do what the gateway promises. */
  void run() {
    OperationKey fresh = OperationKey.of(SCOPE, UUID.randomUUID().toString());
    Fingerprint fingerprint = Fingerprint.ofText("self-test");
    Outcome outcome = Outcome.of(200, List.of(), Bytes.utf8("self-test"));
    Decision first = engine.begin(fresh, fingerprint, POLICY);
    if (!(first instanceof Decision.Granted granted)) {
      throw new IllegalStateException("the store did not grant a new key: " + first);
    }
    granted.operation().complete(outcome);
    Decision again = engine.begin(fresh, fingerprint, POLICY);
    if (!(again instanceof Decision.Replay replay) || !replay.outcome().equals(outcome)) {
      throw new IllegalStateException("the store did not replay what it recorded: " + again);
    }
    Decision other = engine.begin(fresh, Fingerprint.ofText("other"), POLICY);
    if (!(other instanceof Decision.Mismatch)) {
      throw new IllegalStateException("the store took another request for the same: " + other);
    }
  }
}
