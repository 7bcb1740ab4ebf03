// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;

/**
 * A TCP proxy that loses the first answer: it closes the connection when the answer begins to
 * arrive, so the server has done its work. Later connections work.
 */
final class FaultyProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final URI server;

  FaultyProxy(URI server) throws IOException {
    this.server = server;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  private void accept() {
    boolean isFirst = true;
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        boolean isCut = isFirst;
        daemon(() -> carry(client, isCut));
        isFirst = false;
      } catch (IOException e) {
        return;
      }
    }
  }

  private void carry(Socket client, boolean isCut) {
    try (client;
        Socket there = new Socket(server.getHost(), server.getPort())) {
      daemon(() -> copy(client, there));
      InputStream answer = there.getInputStream();
      if (isCut) {
        int unused = answer.read();
      } else {
        answer.transferTo(client.getOutputStream());
      }
    } catch (IOException e) {
      // One side is gone; so is the other now.
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      OutputStream out = to.getOutputStream();
      from.getInputStream().transferTo(out);
    } catch (IOException e) {
      // As above.
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
