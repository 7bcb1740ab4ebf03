// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.HostileClientTable.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClientTable.Answer;
import io.retrysafe.gateway.HostileClientTable.Port;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One client, or one account, that takes more than its part. Others are served meanwhile. */
class HostileClientLimitsTest extends HostileClientTests {
  private static final int CONNECTIONS = 16;
  private static final int REQUESTS = 6;
  private static final int RUNNING = 3;
  private static final Answer TOO_MANY = Answer.of(429, "too-many-operations");

  /** What is written on a connection that is one too many. */
  private static final Map<String, String> ON_CONNECTIONS =
      Map.of(
          "fast",
          HostileClient.head("GET", "/health/live"),
          "slow",
          "GET /health/live HTTP/1.1\r\nHo",
          "malformed",
          "\u0000\u0001\u0002\r\n\r\n",
          "huge",
          HostileClient.head("GET", "/health/live", "x", "y".repeat(100_000)));

  @Override
  GatewayConfig.Builder config(GatewayConfig.Builder config) {
    Limits limits =
        GatewayTests.limits()
            .headTimeout(PATIENCE)
            .connectionsPerClient(CONNECTIONS)
            .requestsPerClient(REQUESTS);
    return config.limits(limits).policy(config.policy().runningPerAccount(RUNNING));
  }

  @Override
  String[] honest() {
    return new String[] {"authorization", "Bearer honest"};
  }

  @Override
  void attacks(HostileClientTable table) {
    for (Port port : Port.values()) {
      ON_CONNECTIONS.forEach(
          (way, text) ->
              table.on(
                  port,
                  ALL,
                  "connections of one client, " + way,
                  client -> connections(attacker(client, port == Port.REQUESTS ? 0 : 1), text)));
    }
    table.on(
        Port.REQUESTS,
        ALL,
        "requests of one client",
        client -> {
          String path = "/held/" + key();
          HostileClientRequest request = HostileClientRequest.of("GET", path);
          oneTooMany(attacker(client, 2), path, REQUESTS, () -> request);
        });
    table.on(
        Port.REQUESTS,
        ALL,
        "operations of one account",
        client -> {
          String path = "/held/" + key();
          HostileClientRequest request =
              HostileClientRequest.of("POST", path, "authorization", "Bearer " + path);
          oneTooMany(
              attacker(client, 3), path, RUNNING, () -> request.with("idempotency-key", key()));
        });
  }

  /**
   * Returns the client at an address of its own, another one for each protocol and subject: the
   * gateway may still count connections that the row before has just closed.
   */
  private static HostileClient attacker(HostileClient client, int subject) {
    int host =
        switch (client.protocol()) {
          case HTTP_1 -> 61;
          case HTTP_1_TLS -> 62;
          case H2C -> 63;
          case H2 -> 64;
        };
    return client.from("127.0." + subject + "." + host);
  }

  /** Opens as many connections as one client may have, and more. */
  private void connections(HostileClient attacker, String text) throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        sockets.add(attacker.connect());
      }
      for (int i = 0; i < 3; i++) {
        assertRefused(attacker, text);
      }
      assertHonestClientIsServed(attacker.protocol());
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  /** A connection is refused with an answer or, behind TLS, without one. */
  private static void assertRefused(HostileClient attacker, String text) {
    String answer;
    try (Socket socket = attacker.connect()) {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (java.net.SocketTimeoutException e) {
      throw new AssertionError("the connection is not refused", e);
    } catch (IOException e) {
      return;
    }
    assertThat(answer)
        .satisfiesAnyOf(
            a -> assertThat(a).isEmpty(), a -> assertThat(a).startsWith("HTTP/1.1 503 "));
  }

  /** Has as many requests under way as may be, then sends one more in every way. */
  private void oneTooMany(
      HostileClient attacker, String path, int most, Supplier<HostileClientRequest> requests)
      throws Exception {
    CountDownLatch gate = held(path);
    List<CompletableFuture<Wire.Reply>> held = new ArrayList<>();
    try {
      for (int i = 0; i < most; i++) {
        HostileClientRequest request = requests.get();
        held.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return request.send(attacker);
                  } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                },
                GatewayTests.THREADS));
      }
      eventually("requests at the upstream", () -> upstream().askedFor(path), most);
      TOO_MANY.check(requests.get().send(attacker));
      TOO_MANY.check(requests.get().slowly(attacker));
      TOO_MANY.check(requests.get().huge().send(attacker));
      HostileClientRequest malformed = requests.get().with("content-length", "x");
      Answer.any(0, 400, 429).check(malformed.send(attacker));
      assertHonestClientIsServed(attacker.protocol());
      assertThat(upstream().askedFor(path)).isEqualTo(most);
    } finally {
      gate.countDown();
    }
    for (CompletableFuture<Wire.Reply> each : held) {
      assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).status()).isEqualTo(201);
    }
  }
}
