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
 * The clients' connections of one event loop. One that carries no request for too long, or does not
 * bring the head of its next one to an end, is closed; one whose request is still worked on is not.
 */
public final class ClientConnections {
  /**
   * The most bytes of whole answers that a connection may leave unread, unless it is one answer.
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

  /** Takes note of a request; false if its connection was given up and it must not be served. */
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
   * Sends a whole answer. If its client leaves too many answers unread, the request is cut off
   * instead: sent again with its key, it gets the answer.
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
   * Returns whether the client of a request may be sent a whole answer of so many bytes. HTTP/1.1
   * has one answer at a time. A client of HTTP/2 can leave a hundred of them unread.
   */
  private boolean isRoom(HttpServerRequest request, int bytes) {
    Use use = uses.get(request.connection());
    return use == null || use.unread == 0 || use.unread + bytes <= MOST_UNREAD;
  }

  /** Counts an answer until the client has taken it, or has gone. */
  private void leaving(HttpServerRequest request, int bytes, Future<Void> sent) {
    Use use = uses.get(request.connection());
    if (use != null && !sent.isComplete()) {
      use.unread += bytes;
      sent.onComplete(gone -> use.unread -= bytes);
    }
  }

  /** Serves no further request of a connection, also none that was sent along with the last. */
  public void giveUp(HttpConnection connection) {
    uses.remove(connection);
  }

  /** Returns the requests that are not answered yet. */
  public List<HttpServerRequest> open() {
    List<HttpServerRequest> open = new ArrayList<>();
    uses.values().forEach(use -> open.addAll(use.open));
    return open;
  }

  /** Closes those that were idle for longer than {@code most}. */
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
