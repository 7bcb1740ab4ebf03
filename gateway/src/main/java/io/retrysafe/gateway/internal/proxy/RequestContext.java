// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.EventLoop;
import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.account.ServerSecret;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.internal.metrics.BodyBudget;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.retrysafe.gateway.internal.upstream.Upstreams;
import io.retrysafe.http.Answer;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.ProblemType;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One request, the configuration that it began under and the event loop that serves it. Everything
 * that works on a request gets this one object.
 */
final class RequestContext {
  private final ProxyContext shared;
  private final EventLoopContext loop;
  private final ConfigGeneration generation;
  private final HttpServerRequest in;

  RequestContext(
      ProxyContext shared,
      EventLoopContext loop,
      ConfigGeneration generation,
      HttpServerRequest in) {
    this.shared = shared;
    this.loop = loop;
    this.generation = generation;
    this.in = in;
  }

  HttpServerRequest in() {
    return in;
  }

  // The configuration

  RouteTable routes() {
    return generation.routes();
  }

  GatewayConfig config() {
    return routes().config();
  }

  Limits limits() {
    return config().limits();
  }

  HttpGuard guard() {
    return routes().guard();
  }

  /** Returns the account resolver; null while the store does not give the secret for it. */
  @Nullable AccountResolver account() {
    AccountResolver account = config().account();
    if (!account.needsSecret()) {
      return account;
    }
    ServerSecret secret = shared.secret().get();
    return secret == null ? null : account.with(secret);
  }

  // Resources

  Upstreams passing() {
    return generation.passing();
  }

  Upstreams guarded() {
    return generation.guarded();
  }

  Upstreams queries() {
    return generation.queries();
  }

  /** Returns the executor of calls that may block. */
  Executor blocking() {
    return shared.blocking();
  }

  Metrics metrics() {
    return shared.metrics();
  }

  /** Returns a share of the memory for request bodies. */
  BodyBudget.Share bodyShare() {
    return metrics().bodies().share(limits().bodiesMemory());
  }

  /** Returns a share of the memory for answers. */
  BodyBudget.Share answerShare() {
    return metrics().answers().share(limits().answersMemory());
  }

  /** Returns the longest pause in an answer without a length, in nanoseconds. */
  long longestPause() {
    return shared.longestPause().toNanos();
  }

  /** Counts an operation as running until the result is closed. */
  RunningOperations.Running beginOperation() {
    return generation.running().begin();
  }

  /** Returns whether it is too late to record an outcome. */
  boolean isStopped() {
    return shared.isStopped();
  }

  // The event loop

  /** Runs a part of the request's work in the event loop. An error ends this request only. */
  void run(Runnable work) {
    loop.run(in, work);
  }

  /** Runs work in the event loop after the event that is handled now. */
  void runLater(Runnable work) {
    loop.runLater(work);
  }

  EventLoop caller() {
    return loop.caller();
  }

  Vertx vertx() {
    return loop.vertx();
  }

  void watch(Watchdog.Watched work) {
    loop.watchdog().watch(work);
  }

  void done(Watchdog.Watched work) {
    loop.watchdog().done(work);
  }

  // The answer

  /** Returns the answer for a problem. */
  Answer problem(ProblemType type, String detail) {
    return guard().problem(type, detail);
  }

  /** Sends a whole answer, unless the client already has one. */
  void send(Answer answer) {
    loop.connections().send(in, answer);
  }

  /** Sends an answer after which nothing more is read from the connection. */
  void sendLast(Answer answer) {
    loop.connections().sendLast(in, answer);
  }

  /** Answers that the gateway failed to serve the request. */
  void fail() {
    loop.fail(in);
  }
}
