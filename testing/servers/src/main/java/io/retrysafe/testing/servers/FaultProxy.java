// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;

/**
 * A loopback port in front of another one that can do what networks do: hold everything back, cut
 * connections, or swallow an answer after its request was delivered and cut then.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int NEVER = Integer.MAX_VALUE;

  private final int target;
  private final ServerSocket server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger untilCut = new AtomicInteger(NEVER);
  private volatile Mode mode = Mode.PASS;

  /** What happens to bytes. */
  public enum Mode {
    /** They pass. */
    PASS,
    /** They wait, in both directions. */
    STALL,
    /** Requests pass; the next answer is dropped and its connection cut. */
    LOSE_ANSWERS,
    /** New connections are cut at once. */
    REFUSE
  }

  private FaultProxy(int target, ServerSocketFactory sockets) throws IOException {
    this.target = target;
    this.server = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /** Starts a proxy in front of {@code port}. */
  public static FaultProxy start(int port) {
    return start(port, ServerSocketFactory.getDefault());
  }

  /** Starts a proxy in front of {@code port} whose own side is as {@code sockets} make it: TLS. */
  public static FaultProxy start(int port, ServerSocketFactory sockets) {
    try {
      FaultProxy proxy = new FaultProxy(port, sockets);
      thread(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  public void mode(Mode mode) {
    this.mode = mode;
  }

  /** Lets {@code bytes} more bytes of answers pass and then cuts the connection, once. */
  public void cutAnswersAfter(int bytes) {
    untilCut.set(bytes);
  }

  /** Returns whether the connection that {@link #cutAnswersAfter} asked for was cut. */
  public boolean hasCut() {
    return untilCut.get() == NEVER;
  }

  /** Cuts all connections that are open now. */
  public void cut() {
    open.forEach(FaultProxy::reset);
    open.clear();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    mode = Mode.PASS;
    cut();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        if (mode == Mode.REFUSE) {
          reset(client);
          continue;
        }
        connect(client);
      } catch (IOException e) {
        // Closed, or the target is down: whoever connected was cut.
      }
    }
  }

  private void connect(Socket client) throws IOException {
    Socket upstream;
    try {
      upstream = new Socket(InetAddress.getLoopbackAddress(), target);
    } catch (IOException e) {
      reset(client);
      throw e;
    }
    client.setTcpNoDelay(true);
    upstream.setTcpNoDelay(true);
    open.add(client);
    open.add(upstream);
    thread(() -> pump(client, upstream, false));
    thread(() -> pump(upstream, client, true));
  }

  private void pump(Socket from, Socket to, boolean answers) {
    byte[] buffer = new byte[16 * 1024];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
        while (mode == Mode.STALL) {
          Thread.sleep(5);
        }
        if (answers && mode == Mode.LOSE_ANSWERS) {
          break;
        }
        int passing = answers ? passing(n) : n;
        out.write(buffer, 0, passing);
        out.flush();
        if (passing < n) {
          to.shutdownOutput();
          break;
        }
      }
    } catch (IOException | InterruptedException e) {
      // Cut on either side: so is the other.
    } finally {
      end(from);
      end(to);
    }
  }

  private int passing(int bytes) {
    int left = untilCut.get();
    if (left == NEVER) {
      return bytes;
    }
    untilCut.set(bytes > left ? NEVER : left - bytes);
    return Math.min(bytes, left);
  }

  private void end(Socket socket) {
    open.remove(socket);
    reset(socket);
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // Closed already.
    }
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "fault-proxy");
    thread.setDaemon(true);
    thread.start();
  }
}
