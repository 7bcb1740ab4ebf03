// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.AdminToken;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.Tokens;
import io.retrysafe.internal.Json;
import io.retrysafe.store.Store;
import java.io.IOException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who gets into the admin port, under which names, and what that costs others. */
class AdminAccessTest extends GatewayTests {
  private static final String VIEWER = "Authorization: Bearer viewer-secret-123\r\n";
  private static final String ADMIN = "Authorization: Bearer admin-secret-1234\r\n";

  private static Wire.Reply ask(Gateway gateway, String request) throws IOException {
    return Wire.call(gateway.adminAddress().getPort(), request);
  }

  private static Wire.Reply as(Gateway gateway, String token, String path) throws IOException {
    return ask(gateway, Wire.get(path, "Authorization: Bearer " + token + "\r\n"));
  }

  private static String sha256(String token) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
    return HexFormat.of().formatHex(digest);
  }

  private static AdminToken token(String name, AdminToken.Role role, @Nullable Instant expires)
      throws Exception {
    return new AdminToken(name, role, sha256("the-token-of-" + name), expires);
  }

  // Host

  private static Wire.Reply under(Gateway gateway, String host, String path) throws IOException {
    return ask(gateway, "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + VIEWER + "\r\n");
  }

  @Test
  void aNameThatSomebodyElseHasResolvedToThisMachineIsRefused() throws Exception {
    Gateway gateway =
        gateway(
            started(Upstream.charging()),
            c -> c.admin(Listen.parse("localhost:0")).adminHosts(List.of("ops.example")));

    for (String host :
        List.of(
            "evil.example:8081",
            "evil.example",
            "localhost.evil.example",
            "ops.example.evil",
            "127.0.0.1.evil.example",
            "0x7f.1")) {
      for (String path : List.of("/metrics", "/api/stats", "/api/openapi.json", "/api/reload")) {
        Wire.Reply reply = under(gateway, host, path);
        assertThat(reply.status()).as(host + path).isEqualTo(403);
        assertThat(reply.problem()).isEqualTo("host-refused");
      }
      assertThat(under(gateway, host, "/health/live").status()).isEqualTo(200);
    }
    for (String host :
        List.of(
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1:8081",
            "[::1]:8081",
            "10.1.2.3",
            "ops.example:9")) {
      assertThat(under(gateway, host, "/api/stats").status()).as(host).isEqualTo(200);
    }
  }

  // Tokens

  @Test
  void tokensHaveNamesRolesAndEnds() throws Exception {
    Gateway gateway =
        gateway(
            started(Upstream.charging()),
            c -> {
              try {
                return c.tokens(
                    new Tokens(
                        null,
                        null,
                        List.of(
                            token("ada", AdminToken.Role.OPERATOR, null),
                            token("bob", AdminToken.Role.VIEWER, Instant.now().plusSeconds(3600)),
                            token(
                                "old", AdminToken.Role.OPERATOR, Instant.now().minusSeconds(1)))));
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });

    assertThat(as(gateway, "the-token-of-ada", "/api/stats").status()).isEqualTo(200);
    assertThat(as(gateway, "the-token-of-bob", "/api/stats").status()).isEqualTo(200);
    assertThat(as(gateway, "the-token-of-old", "/api/stats").status()).isEqualTo(401);
    assertThat(as(gateway, sha256("the-token-of-ada"), "/api/stats").status()).isEqualTo(401);
    assertThat(as(gateway, "viewer-secret-123", "/api/stats").status()).isEqualTo(401);
    assertThat(sweep(gateway, "the-token-of-ada").status()).isEqualTo(200);
    assertThat(sweep(gateway, "the-token-of-bob").status()).isEqualTo(403);
  }

  private static Wire.Reply sweep(Gateway gateway, String token) throws IOException {
    return post(gateway, "/api/sweep", token, "");
  }

  private static Wire.Reply post(Gateway gateway, String path, String token, String body)
      throws IOException {
    return ask(
        gateway,
        "POST "
            + path
            + " HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer "
            + token
            + "\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body);
  }

  @Test
  void theAuditNamesTheTokenAndOnlyTheAdminTokenSaysWhoActs() throws Exception {
    Upstream upstream = started(Upstream.charging());
    AdminToken ada = token("ada", AdminToken.Role.OPERATOR, null);
    Gateway gateway =
        gateway(
            upstream,
            c -> c.tokens(new Tokens("admin-secret-1234", "viewer-secret-123", List.of(ada))));
    for (String[] step :
        new String[][] {{"the-token-of-ada", "ada"}, {"admin-secret-1234", "mallory"}}) {
      Wire.call(port(gateway), Wire.post("/payments", key));
      Map<?, ?> listing =
          Json.object(ask(gateway, Wire.get("/api/operations?key=" + key, VIEWER)).text());
      String id =
          String.valueOf(JsonTree.map(JsonTree.list(listing.get("operations")).get(0)).get("id"));
      String body = "{\"reason\":\"test data\",\"actor\":\"mallory\"}";
      Wire.Reply forgotten = post(gateway, "/api/operations/" + id + "/forget", step[0], body);
      assertThat(forgotten.status()).as("%s", forgotten).isEqualTo(200);
      String audit = ask(gateway, Wire.get("/api/audit?limit=1", VIEWER)).text();
      assertThat(audit).contains("\"actor\":\"" + step[1] + "\"");
    }
  }

  // Failed logins

  @Test
  void failedLoginsAreLoggedAndSlowedAndHoldUpNobody() throws Exception {
    Gateway gateway = gateway(started(Upstream.charging()));
    ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            lines.add(new SimpleFormatter().formatMessage(record));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.retrysafe.gateway");
    logger.addHandler(handler);
    try {
      List<Wire> wrong = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        Wire wire = started(new Wire(gateway.adminAddress().getPort()));
        wrong.add(
            wire.send(Wire.get("/api/stats", "Authorization: Bearer guess-number-" + i + "\r\n")));
      }
      // The last of them waits for seconds, and meanwhile the right token is served at once.
      long start = System.nanoTime();
      assertThat(ask(gateway, Wire.get("/api/stats", VIEWER)).status()).isEqualTo(200);
      assertThat(metrics(gateway)).contains("retrysafe_ready 1");
      Duration right = Duration.ofNanos(System.nanoTime() - start);
      assertThat(wrong.get(29).read().status()).isEqualTo(401);
      Duration last = Duration.ofNanos(System.nanoTime() - start);
      assertThat(last).isGreaterThan(Duration.ofSeconds(3)).isGreaterThan(right);
      assertThat(lines)
          .anyMatch(
              line -> line.startsWith("127.0.0.1 sent a wrong or expired token to the admin port"))
          .noneMatch(line -> line.contains("guess-number"))
          .hasSizeLessThan(15);
      assertThat(ask(gateway, Wire.get("/api/stats", "")).status()).isEqualTo(401);
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  void withoutTokensTheApiRefusesEverybody() throws Exception {
    Gateway gateway = gateway(started(Upstream.charging()), c -> c.tokens(Tokens.NONE));

    assertThat(as(gateway, "", "/api/stats").status()).isEqualTo(401);
    assertThat(as(gateway, "null", "/api/stats").status()).isEqualTo(401);
    assertThat(ask(gateway, Wire.get("/health/ready", "")).status()).isEqualTo(200);
  }

  // Threads

  @Test
  void healthAndMetricsDoNotWaitForTheApi() throws Exception {
    Upstream upstream = started(Upstream.charging());
    CountDownLatch go = new CountDownLatch(1);
    started(go::countDown);
    Store slow =
        Intercepted.store(
            store,
            (method, inside) -> {
              if (method.equals("browse")) {
                go.await();
              }
              return inside.call();
            });
    Gateway gateway = started(Gateway.start(config(upstream.url()).build(), slow));
    for (int i = 0; i < 64; i++) {
      started(new Wire(gateway.adminAddress().getPort())).send(Wire.get("/api/operations", VIEWER));
    }

    assertThat(ask(gateway, Wire.get("/health/ready", "")).status()).isEqualTo(200);
    assertThat(metrics(gateway)).contains("retrysafe_ready 1");
  }

  @Test
  void aHostileRouteInAQueryIsRefusedAtOnce() throws Exception {
    Gateway gateway = gateway(started(Upstream.charging()));
    Wire.call(port(gateway), Wire.post("/" + "a".repeat(200), key));

    Wire.Reply reply =
        ask(gateway, Wire.get("/api/operations?route=POST%20/" + "%7Ba%7D".repeat(30), VIEWER));
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.text()).contains("one part in braces");
    assertThat(ask(gateway, Wire.get("/api/operations?route=POST%20/%7Ba%7D", ADMIN)).text())
        .contains(key);
  }
}
