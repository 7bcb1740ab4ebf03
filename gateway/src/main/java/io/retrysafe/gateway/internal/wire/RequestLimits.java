// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Bounds how many requests run at once, in all and for each client. Any thread may use it. */
public final class RequestLimits {
  private final AtomicInteger open;
  private final ClientCounts clients = new ClientCounts();

  /** Counts all requests in {@code open}. */
  public RequestLimits(AtomicInteger open) {
    this.open = open;
  }

  /** Returns the requests that each client has under way, if they are bounded. */
  public ClientCounts clients() {
    return clients;
  }

  /**
   * Counts a request until its response ends. Returns null if it may be served; otherwise, as the
   * end of a sentence, which bound it exceeds.
   */
  public @Nullable String admit(HttpServerRequest in, GatewayConfig config) {
    Limits limits = config.limits();
    boolean isRoom = open.incrementAndGet() <= limits.requests();
    int most = limits.requestsPerClient();
    String client = most > 0 ? ClientCounts.of(config.trustedProxies().client(in)) : null;
    boolean isOneTooMany = client != null && !clients.take(client, most);
    String taken = isOneTooMany ? null : client;
    AtomicBoolean isOpen = new AtomicBoolean(true);
    in.response()
        .endHandler(
            end -> {
              if (isOpen.compareAndSet(true, false)) {
                open.decrementAndGet();
                if (taken != null) {
                  clients.giveBack(taken);
                }
              }
            });
    if (!isRoom) {
      return "at this gateway";
    }
    return isOneTooMany ? "of this client" : null;
  }
}
