// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.gateway.internal.wire.ResponseWriter;
import io.vertx.core.http.HttpServerRequest;

/**
 * Reads and drops the body of a request that is already answered. If the body does not arrive in
 * time, the connection is closed.
 */
final class BodyDeadline implements Watchdog.Watched {
  private final RequestContext request;
  private final long start = System.nanoTime();
  private final long within;

  private BodyDeadline(RequestContext request) {
    this.request = request;
    this.within = request.limits().bodyTimeout().toNanos();
  }

  static void watch(RequestContext request) {
    HttpServerRequest in = request.in();
    if (!in.isEnded()) {
      BodyDeadline deadline = new BodyDeadline(request);
      in.exceptionHandler(gone -> request.done(deadline));
      in.handler(ignored -> {});
      in.endHandler(end -> request.done(deadline));
      request.watch(deadline);
    }
  }

  @Override
  public void check(long now) {
    if (now - start > within) {
      request.done(this);
      ResponseWriter.cut(request.in());
    }
  }
}
