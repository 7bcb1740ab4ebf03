// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.vertx.core.http.HttpServerRequest;
import java.util.List;

/**
 * A line that new requests do not use any more; it is closed when the last of its own has ended.
 */
record Retiring(Loop loop, Line line, List<HttpServerRequest> open) implements Loop.Timed {

  @Override
  public void look(long now) {
    open.removeIf(request -> request.response().ended() || request.response().closed());
    if (open.isEmpty()) {
      loop.done(this);
      line.retire();
    }
  }
}
