// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import io.retrysafe.Bytes;
import io.retrysafe.Decision;
import io.retrysafe.Ending;
import io.retrysafe.EventLoop;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A test operation that shows that the store claims, records and replays. */
public final class SelfTest {
  /** A scope that no request has: those contain a method and a path. */
  static final Scope SCOPE = Operations.SELF_TEST;

  private static final Policy POLICY =
      Policy.create().lease(Duration.ofSeconds(10)).retention(Duration.ofMinutes(1));

  private static final Fingerprint FINGERPRINT = Fingerprint.ofText("self-test");
  private static final Outcome OUTCOME = Outcome.of(200, List.of(), Bytes.utf8("self-test"));

  private final Retrysafe engine;

  public SelfTest(Retrysafe engine) {
    this.engine = engine;
  }

  /** Claims and records an operation as requests do. */
  public CompletionStage<Boolean> probe(EventLoop loop) {
    OperationKey fresh = OperationKey.of(SCOPE, UUID.randomUUID().toString());
    return engine
        .beginAsync(fresh, FINGERPRINT, POLICY, loop)
        .thenCompose(
            decision ->
                decision instanceof Decision.Granted granted
                    ? granted.operation().completeAsync(OUTCOME, loop)
                    : CompletableFuture.completedFuture(new Ending.Lost()))
        .thenApply(Ending.Recorded.class::isInstance);
  }

  /** Runs the test; throws if the store does not do what the gateway promises. */
  public void run() {
    OperationKey fresh = OperationKey.of(SCOPE, UUID.randomUUID().toString());
    Decision first = engine.begin(fresh, FINGERPRINT, POLICY);
    if (!(first instanceof Decision.Granted granted)) {
      throw new IllegalStateException("the store did not grant a new key: " + first);
    }
    granted.operation().complete(OUTCOME);
    Decision again = engine.begin(fresh, FINGERPRINT, POLICY);
    if (!(again instanceof Decision.Replay replay) || !replay.outcome().equals(OUTCOME)) {
      throw new IllegalStateException("the store did not replay what it recorded: " + again);
    }
    Decision other = engine.begin(fresh, Fingerprint.ofText("other"), POLICY);
    if (!(other instanceof Decision.Mismatch)) {
      throw new IllegalStateException("the store took another request for the same: " + other);
    }
  }
}
