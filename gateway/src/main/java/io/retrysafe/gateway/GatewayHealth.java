// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.EventLoop;
import io.retrysafe.gateway.account.SharedSecret;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.internal.admin.Readiness;
import io.retrysafe.gateway.internal.admin.SelfTest;
import io.retrysafe.gateway.internal.proxy.BlockingCalls;
import io.retrysafe.store.StoreException;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Whether a gateway is ready: it knows the shared secret, its self-test has succeeded, and the
 * store answers now.
 */
final class GatewayHealth {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final Duration SELF_TEST_AGAIN = Duration.ofSeconds(1);

  private final SharedSecret secret;
  private final BlockingCalls calls;
  private final Vertx vertx;
  private final SelfTest selfTest;
  private final Readiness readiness;
  private volatile boolean isProven;
  private volatile boolean isStopping;

  GatewayHealth(SelfTest selfTest, SharedSecret secret, BlockingCalls calls, Vertx vertx) {
    this.secret = secret;
    this.calls = calls;
    this.vertx = vertx;
    this.selfTest = selfTest;
    Context context = vertx.getOrCreateContext();
    EventLoop loop =
        new EventLoop(work -> context.runOnContext(now -> work.run()), calls.blocking());
    this.readiness = new Readiness(() -> selfTest.probe(loop));
  }

  /**
   * Learns the secret that derives accounts. If the store does not answer, the gateway asks again
   * with the self-test and is not ready until then.
   *
   * @throws IllegalArgumentException if other gateways on this store use another secret
   */
  void learnSecret(GatewayConfig config) {
    try {
      secret.learn(config.secret(), config.account().needsSecret());
    } catch (StoreException e) {
      LOG.log(System.Logger.Level.ERROR, "not ready: the store does not give the secret", e);
    }
  }

  /** Runs the self-test until it succeeds; the gateway is not ready until then. */
  void runSelfTest(Supplier<GatewayConfig> config) {
    try {
      GatewayConfig now = config.get();
      secret.learn(now.secret(), now.account().needsSecret());
      selfTest.run();
      isProven = true;
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "not ready: the self-test failed, it is run again", e);
      runSelfTestLater(config);
    }
  }

  private void runSelfTestLater(Supplier<GatewayConfig> config) {
    vertx.setTimer(SELF_TEST_AGAIN.toMillis(), timer -> runSelfTestAgain(config));
  }

  private void runSelfTestAgain(Supplier<GatewayConfig> config) {
    if (isStopping) {
      return;
    }
    try {
      calls.blocking().execute(() -> runSelfTest(config));
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "not ready: the self-test could not be run", e);
      runSelfTestLater(config);
    }
  }

  /** Reports the gateway as not ready from now on. */
  void stopping() {
    isStopping = true;
  }

  /**
   * Returns why load balancers should send requests elsewhere; empty if the gateway is ready. The
   * check claims an operation as requests do.
   *
   * @param within how long it may take
   */
  Optional<String> unreadiness(Duration within) {
    if (isStopping) {
      return Optional.of("stopping");
    }
    if (!isProven) {
      return Optional.of("the self-test has not succeeded yet");
    }
    return readiness.isReady(within) ? Optional.empty() : Optional.of("the store does not answer");
  }
}
