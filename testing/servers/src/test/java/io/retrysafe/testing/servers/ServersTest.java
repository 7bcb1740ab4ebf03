// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ServersTest {

  @Test
  void postgresStartsIsKilledAndStartsAgain() throws IOException {
    try (PostgresServer server = PostgresServer.start()) {
      assertThat(postgresAnswers(server.port())).isTrue();
      server.kill();
      assertThat(portIsOpen(server.port())).isFalse();
      server.restart();
      assertThat(portIsOpen(server.port())).isTrue();
    }
  }

  @Test
  void mariaDbStartsIsKilledAndStartsAgain() throws IOException {
    try (MariaDbServer server = MariaDbServer.start()) {
      assertThat(mariaDbGreeting(server.port())).contains("MariaDB");
      server.kill();
      assertThat(portIsOpen(server.port())).isFalse();
      server.restart();
      assertThat(portIsOpen(server.port())).isTrue();
    }
  }

  /** Asks for TLS, which every PostgreSQL answers with one letter. */
  private static boolean postgresAnswers(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        OutputStream out = socket.getOutputStream();
        InputStream in = socket.getInputStream()) {
      out.write(new byte[] {0, 0, 0, 8, 4, (byte) 210, 22, 47});
      out.flush();
      return in.read() == 'N';
    }
  }

  private static String mariaDbGreeting(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        InputStream in = socket.getInputStream()) {
      byte[] greeting = new byte[64];
      int read = in.read(greeting);
      return new String(greeting, 0, read, StandardCharsets.ISO_8859_1);
    }
  }

  private static boolean portIsOpen(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
