// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.retrysafe.http.Answer;
import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The client connections of one event loop. A connection is closed if it is idle, or sends an
 * incomplete head, for too long. A connection with a running request stays open.
 */
public final class ClientConnections {
  /**
   * How many bytes of whole answers a client may leave unread on a connection; a single answer may
   * be larger.
   */
  public static final int MOST_UNREAD = 8 << 20;

  private final Map<HttpConnection, Use> uses = new HashMap<>();

  private static final class Use {
    final List<HttpServerRequest> open = new ArrayList<>(1);
    long idleSince = System.nanoTime();
    long unread;

    boolean isIdle() {
      open.removeIf(request -> request.response().ended() || request.response().closed());
      return open.isEmpty();
    }
  }

  public void add(HttpConnection connection) {
    uses.put(connection, new Use());
    connection.closeHandler(closed -> uses.remove(connection));
  }

  /**
   * Registers a request; returns false if it must not be served, because its connection was given
   * up.
   */
  public boolean use(HttpServerRequest request) {
    Use use = uses.get(request.connection());
    if (use == null) {
      return false;
    }
    use.isIdle();
    use.open.add(request);
    use.idleSince = 0;
    return true;
  }

  /**
   * Sends a whole answer. If the client leaves too many answers unread, the request is cut off
   * instead. A retry with the same key gets the answer.
   */
  public void send(HttpServerRequest in, Answer answer) {
    int bytes = answer.body().size();
    if (isRoom(in, bytes)) {
      leaving(in, bytes, ResponseWriter.sent(in, answer));
    } else {
      ResponseWriter.refuse(in);
    }
  }

  /** Sends an answer after which nothing more is read from the connection. */
  public void sendLast(HttpServerRequest in, Answer answer) {
    if (in.version() != HttpVersion.HTTP_2) {
      giveUp(in.connection());
    }
    ResponseWriter.sendLast(in, answer);
  }

  /**
   * Returns whether the connection has room for another unread answer. HTTP/1.1 has one answer at a
   * time; an HTTP/2 client can leave a hundred of them unread.
   */
  private boolean isRoom(HttpServerRequest request, int bytes) {
    Use use = uses.get(request.connection());
    return use == null || use.unread == 0 || use.unread + bytes <= MOST_UNREAD;
  }

  /** Counts an answer as unread until the client has received it or disconnected. */
  private void leaving(HttpServerRequest request, int bytes, Future<Void> sent) {
    Use use = uses.get(request.connection());
    if (use != null && !sent.isComplete()) {
      use.unread += bytes;
      sent.onComplete(gone -> use.unread -= bytes);
    }
  }

  /** Serves no further request of a connection, including pipelined ones. */
  public void giveUp(HttpConnection connection) {
    uses.remove(connection);
  }

  /** Returns the requests that are not answered yet. */
  public List<HttpServerRequest> open() {
    List<HttpServerRequest> open = new ArrayList<>();
    uses.values().forEach(use -> open.addAll(use.open));
    return open;
  }

  /** Closes connections that were idle for longer than {@code most}. */
  public void closeIdle(long now, Duration most) {
    for (Map.Entry<HttpConnection, Use> each : List.copyOf(uses.entrySet())) {
      Use use = each.getValue();
      if (!use.isIdle()) {
        use.idleSince = 0;
      } else if (use.idleSince == 0) {
        use.idleSince = now;
      } else if (now - use.idleSince > most.toNanos()) {
        each.getKey().close();
      }
    }
  }
}
