// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.internal.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people can do with the admin API. */
class AdminApiTest extends GatewayTests {
  private static final String VIEWER = "Authorization: Bearer viewer-secret-123\r\n";
  private static final String OPERATOR = "Authorization: Bearer admin-secret-1234\r\n";
  private static final String BECAUSE = "\"actor\":\"alice\",\"reason\":\"the bank says so\"";

  private final CountDownLatch go = new CountDownLatch(1);
  private Gateway gateway;

  @BeforeEach
  void start() throws IOException {
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  if (asked.head().contains("/silent")) {
                    return false;
                  }
                  if (asked.head().contains("/slow")) {
                    go.await(20, TimeUnit.SECONDS);
                  }
                  return Upstream.write(
                      socket,
                      "HTTP/1.1 201 Any\r\nX-Api-Key: hush\r\nContent-Length: 7\r\n\r\nreceipt");
                }));
    gateway =
        started(
            Gateway.builder(config(upstream.url()).name("gw-1").build(), store)
                .source(() -> config(upstream.url()).name("gw-1").build())
                .start());
    started(go::countDown);
  }

  private Wire.Reply ask(String method, String path, String more, String body) throws IOException {
    return Wire.call(
        gateway.adminAddress().getPort(),
        method
            + " "
            + path
            + " HTTP/1.1\r\nHost: admin\r\n"
            + more
            + "Content-Length: "
            + body.length()
            + "\r\n\r\n"
            + body);
  }

  private Wire.Reply get(String path) throws IOException {
    return ask("GET", path, VIEWER, "");
  }

  private String id(String query) throws IOException {
    Map<?, ?> listing = Json.object(get("/api/operations?" + query).text());
    List<?> operations = JsonTree.list(listing.get("operations"));
    assertThat(operations).as(query).hasSize(1);
    return String.valueOf(JsonTree.map(operations.get(0)).get("id"));
  }

  private String pay(String path, String name) throws IOException {
    Wire.call(port(gateway), Wire.post(path, name));
    return id("key=" + name);
  }

  @Test
  void anUnknownPaymentIsFoundExplainedAndResolved() throws Exception {
    String lost = pay("/silent", "lost");
    assertThat(get("/api/explain?key=lost").text())
        .contains("outcome unknown since ")
        .contains("sent it to http://127.0.0.1:");
    Wire.Reply done =
        ask(
            "POST",
            "/api/operations/" + lost + "/resolve",
            OPERATOR,
            "{\"outcome\":\"done\",\"status\":201,\"headers\":[{\"name\":\"X-A\",\"value\":\"b\"}],"
                + "\"body\":\"receipt 7\","
                + BECAUSE
                + "}");
    assertThat(done.status()).as(done.toString()).isEqualTo(200);
    Wire.Reply retry = Wire.call(port(gateway), Wire.post("/silent", "lost"));
    assertThat(retry.status()).isEqualTo(201);
    assertThat(retry.text()).isEqualTo("receipt 7");
    assertThat(retry.header("X-A")).contains("b");
    assertThat(retry.isReplayed()).isTrue();
    assertThat(get("/api/audit").text())
        .contains(
            "\"actor\":\"alice\",\"action\":\"done\",\"status\":201,"
                + "\"reason\":\"the bank says so\",\"result\":\"applied\"");
  }

  @Test
  void operatorsActionsAreCounted() throws Exception {
    assertThat(get("/metrics").text())
        .contains("retrysafe_events_total{event=\"resolved\"} 0")
        .contains("retrysafe_events_total{event=\"forgotten\"} 0");
    String path = "/api/operations/" + pay("/silent", "lost");
    String notDone = "{\"outcome\":\"not_done\"," + BECAUSE + "}";
    assertThat(ask("POST", path + "/resolve", OPERATOR, notDone).status()).isEqualTo(200);
    pay("/silent", "lost");
    assertThat(ask("POST", path + "/forget", OPERATOR, "{" + BECAUSE + "}").status())
        .isEqualTo(200);
    assertThat(get("/metrics").text())
        .contains("retrysafe_events_total{event=\"resolved\"} 1")
        .contains("retrysafe_events_total{event=\"forgotten\"} 1");
  }

  @Test
  void aSearchForTextThatNoStoreHoldsIsAWrongRequest() throws Exception {
    assertThat(get("/api/operations?account=%00").status()).isEqualTo(400);
    assertThat(get("/api/operations?account=a&route=%00").status()).isEqualTo(400);
  }

  @Test
  void everyChangeNeedsAReason() throws Exception {
    String lost = pay("/silent", "lost");
    for (String body :
        List.of(
            "",
            "[]",
            "{}",
            "{\"outcome\":\"not_done\"}",
            "{\"outcome\":\"not_done\",\"reason\":\" \"}",
            "{\"outcome\":\"not_done\",\"reason\":\"a\\u0000\"}",
            "{\"outcome\":\"not_done\",\"reason\":\"half \\ud83d\"}",
            "{\"outcome\":\"not_done\",\"reason\":\"x\",\"actor\":\"\\udc00\"}",
            "{\"outcome\":\"done\",\"reason\":\"x\"}",
            "{\"outcome\":\"not_done\",\"reason\":\"x\",\"colour\":1}",
            "{\"outcome\":\"not_done\",\"reason\":\"x\",\"fence\":\"1\"}")) {
      Wire.Reply reply = ask("POST", "/api/operations/" + lost + "/resolve", OPERATOR, body);
      assertThat(reply.status()).as(body + " " + reply).isEqualTo(400);
      assertThat(reply.problem()).isEqualTo("invalid");
    }
    assertThat(get("/api/audit").text()).contains("\"actions\":[]");
  }

  @Test
  void aRunningOperationIsLeftAloneAndItsOwnerNamed() throws Exception {
    List<Thread> callers = new ArrayList<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                Wire.call(port(gateway), Wire.post("/slow", "running"));
              } catch (IOException e) {
                // The gateway closed.
              }
            });
    caller.start();
    callers.add(caller);
    until(() -> get("/api/operations?key=running").text().contains("in_progress"));
    String running = id("key=running");
    until(() -> get("/api/operations/" + running).text().contains("\"kind\":\"claimed\""));
    Wire.Reply refused =
        ask("POST", "/api/operations/" + running + "/forget", OPERATOR, "{" + BECAUSE + "}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.problem()).isEqualTo("leased");
    assertThat(refused.text()).containsPattern("leased until [0-9-: ]+ by gw-1");
    go.countDown();
    for (Thread each : callers) {
      each.join(20_000);
    }
  }

  @Test
  void answersAreForOperatorsAndMasked() throws Exception {
    String paid = pay("/payments", "paid");
    Wire.Reply answer = ask("GET", "/api/operations/" + paid + "/answer", OPERATOR, "");
    assertThat(answer.text()).contains("receipt", "(masked)").doesNotContain("hush");
  }

  @Test
  void pagesOfOtherOriginsMayNotAsk() throws Exception {
    for (String origin : List.of("http://evil", "null", "https://admin", "http://admin.evil")) {
      assertThat(ask("GET", "/api/stats", VIEWER + "Origin: " + origin + "\r\n", "").status())
          .as(origin)
          .isEqualTo(403);
    }
    assertThat(ask("GET", "/api/stats", VIEWER + "Origin: http://admin\r\n", "").status())
        .isEqualTo(200);
  }

  @Test
  void pagesJoinToTheWhole() throws Exception {
    for (int i = 0; i < 5; i++) {
      pay("/payments", "key-" + i);
    }
    Set<Object> seen = new TreeSet<>();
    String cursor = "";
    for (int i = 0; i < 5; i++) {
      Map<?, ?> page = Json.object(get("/api/operations?limit=2&cursor=" + cursor).text());
      JsonTree.list(page.get("operations"))
          .forEach(each -> seen.add(((Map<?, ?>) each).get("key")));
      if (!page.containsKey("next")) {
        break;
      }
      cursor = String.valueOf(page.get("next"));
    }
    assertThat(seen).hasSize(5);
  }
}
