// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.gateway.wire.ResponseWriter;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;

/** By when a request's body must have arrived; else its connection is closed. */
final class BodyDeadline implements ProxyServer.Timed {
  private final ProxyServer loop;
  private final HttpServerRequest in;
  private final long start = System.nanoTime();
  private final long within;

  private BodyDeadline(ProxyServer loop, HttpServerRequest in, Duration within) {
    this.loop = loop;
    this.in = in;
    this.within = within.toNanos();
  }

  /** Watches a request whose body nobody reads any more. */
  static void watch(ProxyServer loop, HttpServerRequest in, Duration within) {
    if (!in.isEnded()) {
      BodyDeadline deadline = new BodyDeadline(loop, in, within);
      in.exceptionHandler(gone -> loop.done(deadline));
      in.handler(ignored -> {});
      in.endHandler(end -> loop.done(deadline));
      loop.watch(deadline);
    }
  }

  @Override
  public void look(long now) {
    if (now - start > within) {
      loop.done(this);
      ResponseWriter.cut(in);
    }
  }
}
