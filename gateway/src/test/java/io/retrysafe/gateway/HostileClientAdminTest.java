// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.HostileClientTable.ALL;
import static io.retrysafe.gateway.HostileClientTable.HTTP_2;
import static io.retrysafe.gateway.HostileClientTable.shown;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClient.Protocol;
import io.retrysafe.gateway.HostileClientTable.Answer;
import io.retrysafe.gateway.HostileClientTable.Port;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Attempts to get into the admin port, and to harm it from inside with a viewer's token. */
class HostileClientAdminTest extends HostileClientTests {
  private static final String[] VIEWER = {"authorization", "Bearer viewer-secret-123"};
  private static final Answer UNAUTHORIZED = Answer.of(401, "token-missing");

  /** Everything that somebody could take for a token, and the API does not. */
  private static final List<HostileClientRequest> NO_TOKENS =
      List.of(
          HostileClientRequest.of("GET", "/api/operations?access_token=admin-secret-1234"),
          HostileClientRequest.of("GET", "/api/operations", "cookie", "token=admin-secret-1234"),
          HostileClientRequest.of("GET", "/api/operations", "authorization", "admin-secret-1234"),
          HostileClientRequest.of("GET", "/api/operations", "authorization", "Bearer"),
          HostileClientRequest.of("GET", "/api/operations", "x-api-key", "admin-secret-1234"),
          HostileClientRequest.of(
              "GET", "/api/operations", "proxy-authorization", "Bearer admin-secret-1234"));

  /** Route filters that a regular expression would be slow to match. */
  private static final List<String> FILTERS =
      List.of(
          "POST%20/" + "%7Ba%7D".repeat(30),
          "POST%20/" + "%7Ba%7D".repeat(1000),
          "POST%20/" + "(a+)+$".replace("+", "%2B").repeat(20),
          "POST%20/" + "a*".repeat(500),
          "POST%20/" + "**/".repeat(500),
          "%7B".repeat(1000),
          "%00");

  private static final List<String> HOSTS =
      List.of(
          "evil.example",
          "evil.example:8081",
          "localhost.evil.example",
          "127.0.0.1.evil.example",
          "0x7f.1",
          "localhost.");

  /** Queries that are too large, or not what they say. */
  private static final List<String> QUERIES =
      List.of(
          "limit=999999999",
          "limit=-1",
          "limit=1e3",
          "state=" + "x".repeat(5000),
          "cursor=" + "A".repeat(5000),
          "older=P999999999D",
          "account=%",
          "token=x",
          "a=b&".repeat(2000));

  private final AtomicInteger addresses = new AtomicInteger(1);

  @Override
  void prepare() throws Exception {
    for (Protocol protocol : List.of(Protocol.HTTP_1, Protocol.H2)) {
      client(Port.REQUESTS, protocol).call("POST", "/" + "a".repeat(900), "idempotency-key", key());
    }
  }

  @Override
  void attacks(HostileClientTable table) {
    tokens(table);
    HostileClientRequest stats = HostileClientRequest.of("GET", "/api/stats", VIEWER);
    Answer hostRefused = Answer.of(403, "host-refused");
    for (String host : HOSTS) {
      table.answered(Port.ADMIN, "the host " + host, stats.host(host), hostRefused);
    }
    table.inEveryWay(
        Port.ADMIN,
        "a host of somebody else",
        stats.host("evil.example"),
        hostRefused,
        stats.host("evil.example:99999"),
        Answer.any(0, 400, 403));
    table.answered(
        Port.ADMIN, "a host of 9 KB", stats.host("e".repeat(9000)), Answer.any(0, 400, 403, 431));
    for (String filter : FILTERS) {
      table.answered(
          Port.ADMIN,
          "the route filter " + shown(filter),
          HostileClientRequest.of("GET", "/api/operations?route=" + filter, VIEWER),
          Answer.any(200, 400));
    }
    String slowest = "/api/operations?route=POST%20/" + "%7Ba%7D".repeat(30);
    table.inEveryWay(
        Port.ADMIN,
        "a route filter",
        HostileClientRequest.of("GET", slowest, VIEWER),
        Answer.of(400, "invalid"),
        HostileClientRequest.of("GET", "/api/operations?route=%7B%", VIEWER),
        Answer.of(400, "invalid"));
    for (String query : QUERIES) {
      table.answered(
          Port.ADMIN,
          "the query " + shown(query),
          HostileClientRequest.of("GET", "/api/operations?" + query, VIEWER),
          Answer.of(400, "invalid"));
    }
    pages(table);
    bodies(table);
  }

  private void tokens(HostileClientTable table) {
    HostileClientRequest guess =
        HostileClientRequest.of("GET", "/api/operations", "authorization", "Bearer guess-1");
    table.on(
        Port.ADMIN,
        ALL,
        "guesses of a token, fast",
        client -> {
          HostileClient elsewhere = elsewhere(client);
          atOnce(MANY / 4, () -> UNAUTHORIZED.check(guess.send(elsewhere)));
        });
    table.on(
        Port.ADMIN,
        ALL,
        "a guess of a token, slow",
        client -> UNAUTHORIZED.check(guess.slowly(elsewhere(client))));
    table.on(
        Port.ADMIN,
        ALL,
        "a guess of a token, huge",
        client ->
            UNAUTHORIZED.check(
                HostileClientRequest.of(
                        "GET", "/api/stats", "authorization", "Bearer " + "t".repeat(20_000))
                    .send(elsewhere(client))));
    for (HostileClientRequest request : NO_TOKENS) {
      table.answered(
          Port.ADMIN,
          "no token: " + shown(request.path() + request.headers()),
          request,
          UNAUTHORIZED);
    }
    table.answered(
        Port.ADMIN,
        "a viewer that changes something",
        HostileClientRequest.of("POST", "/api/reload", VIEWER),
        Answer.of(403, "role-refused"));
  }

  /** Returns the client at an address that has guessed no token yet, so that rows stay fast. */
  private HostileClient elsewhere(HostileClient client) {
    return client.from("127.0.1." + addresses.incrementAndGet());
  }

  /** Pages in a browser. */
  private void pages(HostileClientTable table) {
    HostileClientRequest stats = HostileClientRequest.of("GET", "/api/stats", VIEWER);
    for (String origin : List.of("https://evil.example", "null", "https://null")) {
      table.answered(
          Port.ADMIN,
          "a page of " + origin,
          stats.with("origin", origin),
          Answer.of(403, "origin-refused"));
    }
    table.on(
        Port.ADMIN,
        ALL,
        "the console's own page is served",
        client -> {
          String scheme = client.protocol().isTls() ? "https" : "http";
          Answer.any(200).check(stats.with("origin", scheme + "://localhost").send(client));
        });
  }

  private void bodies(HostileClientTable table) {
    table.on(
        Port.ADMIN,
        ALL,
        "a body of 3 MiB without a token",
        client -> {
          for (String path : List.of("/health/live", "/metrics", "/api/operations")) {
            Wire.Reply reply = client.call("GET", path, new byte[3 << 20]);
            assertThat(reply.status()).as(path).isIn(0, 413, 401);
          }
        });
    for (String body : List.of("[".repeat(900_000), "{\"a\":".repeat(90_000), "{\"reason\":1e9")) {
      table.on(
          Port.ADMIN,
          HTTP_2,
          "the body " + shown(body),
          client ->
              Answer.any(400, 404)
                  .check(
                      client.call(
                          "POST",
                          "/api/operations/op_AAAA/forget",
                          HostileClient.bytes(body),
                          "authorization",
                          "Bearer admin-secret-1234")));
    }
  }
}
