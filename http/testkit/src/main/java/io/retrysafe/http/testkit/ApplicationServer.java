// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.http.Header;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An application on a plain HTTP/1.1 server, without any protection: what a gateway stands before.
 * For tests only.
 */
public final class ApplicationServer implements Instance {
  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Exchanges exchanges;

  /** What becomes of each request. */
  interface Exchanges {
    /** Answers a request; returns false if the connection cannot be used any more. */
    boolean exchange(Connection connection, Connection.Head head) throws Exception;
  }

  ApplicationServer(Exchanges exchanges) throws IOException {
    this.exchanges = exchanges;
    this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  /** Starts {@code application} on a free port of the loopback address. */
  public static ApplicationServer start(Application application) throws IOException {
    return new ApplicationServer(
        (connection, head) -> {
          byte[] body = connection.body().readAllBytes();
          PlainCall call =
              new PlainCall(head, new ByteArrayInputStream(body), new Unprotected(connection));
          try {
            call.run(application);
          } catch (IOException e) {
            return false;
          } catch (Exception e) {
            connection.write(500, List.of(), "error 500".getBytes(StandardCharsets.UTF_8));
          }
          return true;
        });
  }

  @Override
  public int port() {
    return listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        start(() -> serve(socket));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void serve(Socket socket) {
    try (Connection connection = new Connection(socket)) {
      boolean goesOn = true;
      while (goesOn) {
        Connection.Head head = connection.next().orElse(null);
        goesOn = head != null && exchanges.exchange(connection, head);
      }
    } catch (Exception e) {
      // The client went away, which is its right.
    } finally {
      open.remove(socket);
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "application");
    thread.setDaemon(true);
    thread.start();
  }

  /** Sends whatever comes. */
  record Unprotected(Connection connection) implements PlainCall.Sink {
    @Override
    public int limit() {
      return Integer.MAX_VALUE;
    }

    @Override
    public void whole(int status, List<Header> headers, byte[] body) throws IOException {
      connection.write(status, headers, body);
    }

    @Override
    public OutputStream begin(int status, List<Header> headers) throws IOException {
      return connection.stream(status, headers);
    }

    @Override
    public void ended(int status, List<Header> headers) {}
  }
}
