// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

  @Test
  void redisStartsIsKilledAndKnowsWhatItAcknowledged() {
    try (RedisServer server = RedisServer.start()) {
      server.tell("SET", "k", "v");
      server.kill();
      assertThat(portIsOpen(server.port())).isFalse();
      server.restart();
      assertThat(server.tell("GET", "k")).isEqualTo("v");
    }
  }

  @Test
  void aRedisReplicaFollowsItsPrimary() {
    try (RedisServer primary = RedisServer.start(RedisServer.Aof.OFF);
        RedisServer replica = RedisServer.replica(primary.port())) {
      primary.tell("SET", "k", "v");
      // WAIT would not do: it waits for the writes of its own connection only.
      primary.awaitCopyOn(replica);
      assertThat(replica.tell("GET", "k")).isEqualTo("v");
    }
  }

  @Test
  void threeRedisServersAreACluster() {
    try (RedisCluster cluster = RedisCluster.start()) {
      assertThat(cluster.nodes())
          .hasSize(3)
          .allSatisfy(
              node -> assertThat(node.tell("CLUSTER", "INFO")).contains("cluster_slots_ok:16384"));
    }
  }

  @Test
  void aSentinelPromotesTheReplicaOfADeadPrimary() {
    try (RedisServer primary = RedisServer.start(RedisServer.Aof.OFF);
        RedisServer replica = RedisServer.replica(primary.port());
        RedisSentinel sentinel = RedisSentinel.start(primary)) {
      ServerProcess.await(() -> sentinel.sees(1));
      primary.kill();
      sentinel.promotes(replica);
      assertThat(sentinel.primaryPort()).isEqualTo(replica.port());
    }
  }

  @Test
  void aProxyLosesTheAnswerOfADeliveredRequest() {
    try (RedisServer server = RedisServer.start(RedisServer.Aof.OFF);
        FaultProxy proxy = FaultProxy.start(server.port())) {
      proxy.mode(FaultProxy.Mode.LOSE_ANSWERS);
      assertThatThrownBy(() -> RedisWire.tell(proxy.port(), "INCR", "n"))
          .isInstanceOf(IOException.class);
      proxy.mode(FaultProxy.Mode.PASS);
      assertThat(server.tell("GET", "n")).isEqualTo("1");
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
