// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.List;

/**
 * A generation that new requests no longer use. It is closed when its last request is answered and
 * its last operation has ended, including operations whose clients disconnected.
 */
final class DrainingGeneration implements Watchdog.Watched {
  private final ConfigGeneration generation;
  private final EventLoopContext loop;
  private final List<HttpServerRequest> open;
  private final Duration within;
  private boolean isDraining;
  private long since;

  private DrainingGeneration(ConfigGeneration generation, EventLoopContext loop) {
    this.generation = generation;
    this.loop = loop;
    this.open = loop.connections().open();
    this.within = generation.routes().config().limits().answerTimeout().plusSeconds(1);
  }

  static void start(ConfigGeneration generation, EventLoopContext loop) {
    loop.watchdog().watch(new DrainingGeneration(generation, loop));
  }

  @Override
  public void check(long now) {
    generation.checkTimeouts(now);
    open.removeIf(request -> request.response().ended() || request.response().closed());
    if (!open.isEmpty() || generation.running().count() > 0) {
      return;
    }
    if (!isDraining) {
      isDraining = true;
      since = now;
      generation.drain();
    }
    if (generation.isClosed() || now - since > within.toNanos()) {
      loop.watchdog().done(this);
      generation.close();
    }
  }
}
