// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A pooler in front of a real PostgreSQL server that gives each transaction any session, the one
 * that was used last, as PgBouncer does in transaction mode.
 */
final class TransactionPooler implements AutoCloseable {
  private static final int PROTOCOL_3 = 3 << 16;

  private final int target;
  private final ServerSocket server;
  private final Deque<Backend> idle = new ArrayDeque<>();
  private byte[] startup = new byte[0];
  private byte[] welcome = new byte[0];

  private TransactionPooler(int target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  static TransactionPooler start(int target) {
    try {
      TransactionPooler pooler = new TransactionPooler(target);
      thread(pooler::accept);
      return pooler;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return server.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
    synchronized (idle) {
      for (Backend each : idle) {
        each.socket.close();
      }
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        client.setTcpNoDelay(true);
        thread(() -> serve(client));
      } catch (IOException e) {
        // Closed.
      }
    }
  }

  private void serve(Socket client) {
    Backend leased = null;
    try (client) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      DataOutputStream out = new DataOutputStream(client.getOutputStream());
      greet(in, out);
      while (true) {
        byte[] message = message(in);
        if (message[0] == 'X') {
          return;
        }
        leased = leased == null ? lease() : leased;
        leased.out.write(message);
        if (message[0] == 'S' || message[0] == 'Q') {
          byte[] last;
          do {
            last = message(leased.in);
            out.write(last);
          } while (last[0] != 'Z');
          out.flush();
          if (last[5] == 'I') {
            release(leased);
            leased = null;
          }
        }
      }
    } catch (IOException e) {
      // The client or the server has gone.
    }
  }

  private void greet(DataInputStream in, DataOutputStream out) throws IOException {
    while (true) {
      int length = in.readInt();
      int code = in.readInt();
      byte[] rest = in.readNBytes(length - 8);
      if (code != PROTOCOL_3) {
        // No encryption.
        out.write('N');
        continue;
      }
      synchronized (idle) {
        if (welcome.length == 0) {
          ByteArrayOutputStream hello = new ByteArrayOutputStream();
          DataOutputStream data = new DataOutputStream(hello);
          data.writeInt(length);
          data.writeInt(code);
          data.write(rest);
          startup = hello.toByteArray();
          idle.addLast(new Backend());
        }
      }
      out.write(welcome);
      out.flush();
      return;
    }
  }

  private Backend lease() throws IOException {
    synchronized (idle) {
      return idle.isEmpty() ? new Backend() : idle.removeLast();
    }
  }

  private void release(Backend backend) {
    synchronized (idle) {
      idle.addLast(backend);
    }
  }

  /** Reads a message whole: type, length and content. */
  private static byte[] message(DataInputStream in) throws IOException {
    int type = in.readUnsignedByte();
    int length = in.readInt();
    ByteArrayOutputStream all = new ByteArrayOutputStream(length + 1);
    DataOutputStream data = new DataOutputStream(all);
    data.writeByte(type);
    data.writeInt(length);
    data.write(in.readNBytes(length - 4));
    return all.toByteArray();
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "transaction-pooler");
    thread.setDaemon(true);
    thread.start();
  }

  /** A session on the server. */
  private final class Backend {
    final Socket socket = new Socket(InetAddress.getLoopbackAddress(), target);
    final DataInputStream in = new DataInputStream(socket.getInputStream());
    final DataOutputStream out = new DataOutputStream(socket.getOutputStream());

    Backend() throws IOException {
      socket.setTcpNoDelay(true);
      out.write(startup);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      byte[] last;
      do {
        last = message(in);
        answer.write(last);
      } while (last[0] != 'Z');
      welcome = answer.toByteArray();
    }
  }
}
