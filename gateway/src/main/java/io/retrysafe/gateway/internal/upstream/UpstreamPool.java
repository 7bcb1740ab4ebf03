// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.upstream;

import io.vertx.core.Future;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop to one upstream. The most recently used one is used next. A
 * request that finds none waits in order of arrival.
 */
public final class UpstreamPool {
  private static final int MOST_WAITING = 10_000;

  private final NetClient sockets;
  private final ConnectOptions place;
  private final HeadWriter writer;
  private final Bounds bounds;
  private final Set<UpstreamConnection> open = new LinkedHashSet<>();
  private final Deque<UpstreamConnection> idle = new ArrayDeque<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private int opening;
  private boolean isServing;
  private boolean isDraining;

  /**
   * The limits of a pool.
   *
   * @param most the number of connections
   * @param connect the time until there is a connection
   * @param idle the time that an unused connection stays open
   * @param silence the time that an upstream may be silent within a request; null if the caller
   *     bounds it
   */
  public record Bounds(int most, Duration connect, Duration idle, @Nullable Duration silence) {}

  private record Waiting(UpstreamCall.Listener listener, long since) {}

  UpstreamPool(NetClient sockets, ConnectOptions place, HeadWriter writer, Bounds bounds) {
    this.sockets = sockets;
    this.place = place;
    this.writer = writer;
    this.bounds = bounds;
  }

  void call(UpstreamCall.Listener listener) {
    UpstreamConnection last = lastUsed();
    if (last != null) {
      last.carry(listener);
    } else if (isRoom()) {
      open(listener);
    } else if (waiting.size() < MOST_WAITING) {
      waiting.add(new Waiting(listener, System.nanoTime()));
    } else {
      listener.unreachable(new IOException("too many requests are waiting for a connection"));
    }
  }

  private @Nullable UpstreamConnection lastUsed() {
    UpstreamConnection last = idle.pollLast();
    while (last != null && !last.isOpen()) {
      last = idle.pollLast();
    }
    if (last != null && last.isStill(System.nanoTime(), bounds.idle.toNanos())) {
      // The connections before it have been idle for longer.
      last.close();
      closeIdle();
      return null;
    }
    return last;
  }

  private void open(UpstreamCall.Listener listener) {
    opening++;
    Future<NetSocket> connecting;
    try {
      connecting = sockets.connect(place);
    } catch (Throwable e) {
      connecting = Future.failedFuture(e);
    }
    connecting.onComplete(
        connected -> {
          opening--;
          if (connected.succeeded()) {
            opened(connected.result(), listener);
          } else {
            unreachable(listener, connected.cause());
          }
        });
  }

  private void opened(NetSocket socket, UpstreamCall.Listener listener) {
    UpstreamConnection connection;
    try {
      connection = UpstreamConnection.on((NetSocketInternal) socket, this, writer);
      open.add(connection);
    } catch (Throwable e) {
      socket.close();
      unreachable(listener, e);
      return;
    }
    connection.carry(listener);
  }

  private void unreachable(UpstreamCall.Listener listener, Throwable cause) {
    try {
      listener.unreachable(cause);
    } finally {
      serve();
    }
  }

  /** Takes a connection back whose request has ended. */
  void free(UpstreamConnection connection) {
    idle.addLast(connection);
    serve();
    if (isDraining) {
      closeIdle();
    }
  }

  /** Removes a closed connection. */
  void gone(UpstreamConnection connection) {
    open.remove(connection);
    idle.remove(connection);
    serve();
  }

  /**
   * Gives free connections to waiting requests. A request may give its connection back at once;
   * that call does not recurse.
   */
  private void serve() {
    if (isServing) {
      return;
    }
    isServing = true;
    try {
      while (!waiting.isEmpty()) {
        UpstreamConnection last = lastUsed();
        if (last != null) {
          last.carry(waiting.remove().listener);
        } else if (isRoom()) {
          open(waiting.remove().listener);
        } else {
          return;
        }
      }
    } finally {
      isServing = false;
    }
  }

  private boolean isRoom() {
    return open.size() + opening < bounds.most;
  }

  /** Closes idle connections and ends requests that take too long. */
  void checkTimeouts(long now) {
    while (!idle.isEmpty() && idle.getFirst().isStill(now, bounds.idle.toNanos())) {
      idle.removeFirst().close();
    }
    long wait = bounds.connect.toNanos();
    while (!waiting.isEmpty() && now - waiting.getFirst().since > wait) {
      String why = "no connection was free within " + bounds.connect;
      waiting.remove().listener.unreachable(new IOException(why));
    }
    if (bounds.silence != null) {
      for (UpstreamConnection each : List.copyOf(open)) {
        if (each.isBusy() && each.isStill(now, bounds.silence.toNanos())) {
          each.fail(new IOException("the upstream was silent for " + bounds.silence));
        }
      }
    }
  }

  /** Closes every connection when its request has ended. */
  void drain() {
    isDraining = true;
    closeIdle();
  }

  private void closeIdle() {
    idle.forEach(UpstreamConnection::close);
    idle.clear();
  }

  boolean isClosed() {
    return open.isEmpty() && opening == 0;
  }
}
