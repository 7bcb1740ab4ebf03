// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A service on a raw socket that does what a test says, and remembers what it was asked. */
public final class Upstream implements AutoCloseable {
  private final ServerSocket listener;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private volatile Behaviour behaviour;

  /** What becomes of a request, which was read to its end. */
  public interface Behaviour {
    /** Writes to the socket; returns whether it goes on. */
    boolean answer(Asked asked, Socket socket) throws Exception;
  }

  /** A request: its head as text, and its body. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Asked(String head, byte[] body) {
    String line() {
      return head.substring(0, head.indexOf("\r\n"));
    }

    List<String> all(String name) {
      return head.lines()
          .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
          .map(line -> line.substring(name.length() + 1).strip())
          .toList();
    }
  }

  Upstream(Behaviour behaviour) throws IOException {
    this(behaviour, 0);
  }

  Upstream(Behaviour behaviour, int port) throws IOException {
    this(behaviour, new ServerSocket(port, 200, InetAddress.getLoopbackAddress()));
  }

  Upstream(Behaviour behaviour, ServerSocket listener) {
    this.behaviour = behaviour;
    this.listener = listener;
    this.port = listener.getLocalPort();
    daemon(this::accept);
  }

  /** An upstream that answers 201 with a count. */
  public static Upstream charging() throws IOException {
    int[] count = {0};
    return new Upstream(
        (asked, socket) -> {
          synchronized (count) {
            count[0]++;
            return write(socket, 201, "charge " + count[0]);
          }
        });
  }

  /** An upstream that answers when it is told to. */
  public static Upstream holding(CountDownLatch go, int status, String body) throws IOException {
    return new Upstream(
        (asked, socket) -> go.await(60, TimeUnit.SECONDS) && write(socket, status, body));
  }

  public static boolean write(Socket socket, int status, String body) throws IOException {
    return write(
        socket,
        "HTTP/1.1 "
            + status
            + " Any\r\nContent-Type: text/plain\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body);
  }

  public static boolean write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
    return true;
  }

  void behave(Behaviour other) {
    behaviour = other;
  }

  public int port() {
    return port;
  }

  public URI url() {
    return URI.create("http://127.0.0.1:" + port());
  }

  public List<Asked> asked() {
    return asked;
  }

  /** Returns the first request whose line contains a text. */
  Asked asked(String text) {
    return asked.stream().filter(each -> each.line().contains(text)).findFirst().orElseThrow();
  }

  /** Returns how many requests for a path came. */
  long askedFor(String path) {
    return asked.stream().filter(each -> each.line().contains(path)).count();
  }

  /** Returns how many connections there are. */
  public int connections() {
    return open.size();
  }

  /** Returns how many requests of a method came. */
  long count(String method) {
    return asked.stream().filter(each -> each.head().startsWith(method + " ")).count();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        daemon(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      boolean goesOn = true;
      while (goesOn) {
        Asked request = read(in);
        if (request == null) {
          return;
        }
        asked.add(request);
        goesOn = behaviour.answer(request, socket);
      }
    } catch (Exception e) {
      // The gateway closed, or the test did.
    } finally {
      open.remove(socket);
    }
  }

  private static @org.jspecify.annotations.Nullable Asked read(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int c = in.read();
      if (c < 0) {
        return null;
      }
      head.write(c);
    }
    Asked asked = new Asked(head.toString(StandardCharsets.ISO_8859_1), new byte[0]);
    if (!asked.all("Transfer-Encoding").isEmpty()) {
      return new Asked(asked.head(), chunks(in));
    }
    List<String> length = asked.all("Content-Length");
    byte[] body = length.isEmpty() ? new byte[0] : in.readNBytes(Integer.parseInt(length.get(0)));
    return new Asked(asked.head(), body);
  }

  private static byte[] chunks(InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int size = size(in); size > 0; size = size(in)) {
      body.write(in.readNBytes(size));
      in.readNBytes(2);
    }
    in.readNBytes(2);
    return body.toByteArray();
  }

  private static int size(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n' && c >= 0; c = in.read()) {
      line.append((char) c);
    }
    return Integer.parseInt(line.toString().strip(), 16);
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "upstream");
    thread.setDaemon(true);
    thread.start();
  }

  /** Closes; when it returns nobody can connect any more. */
  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
    for (int i = 0; i < 1000; i++) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
      } catch (IOException refused) {
        return;
      }
    }
  }
}
