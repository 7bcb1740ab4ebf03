// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.List;

/**
 * A line that new requests do not use any more. It is closed when its last request is answered and
 * its last operation has ended, also those whose clients have left.
 */
final class DrainingGeneration implements ProxyServer.Timed {
  private final ProxyServer loop;
  private final ConfigGeneration line;
  private final List<HttpServerRequest> open;
  private final Duration within;
  private boolean isRetired;
  private long since;

  DrainingGeneration(ProxyServer loop, ConfigGeneration line, List<HttpServerRequest> open) {
    this.loop = loop;
    this.line = line;
    this.open = open;
    this.within = line.site().config().limits().answerTimeout().plusSeconds(1);
  }

  @Override
  public void look(long now) {
    line.look(now);
    open.removeIf(request -> request.response().ended() || request.response().closed());
    if (!open.isEmpty() || line.running().count() > 0) {
      return;
    }
    if (!isRetired) {
      isRetired = true;
      since = now;
      line.retire();
    }
    if (line.isClosed() || now - since > within.toNanos()) {
      loop.done(this);
      line.close();
    }
  }
}
