// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.AdminDocument.Operation;
import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.History;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The admin API answers what its document says and nothing else. */
class AdminDocumentTest extends GatewayTests {
  private static final String VIEWER = "Authorization: Bearer viewer-secret-123\r\n";
  private static final String OPERATOR = "Authorization: Bearer admin-secret-1234\r\n";
  private static final String TEXT = "Accept: text/plain\r\n";
  private static final String REASON = "{\"reason\":\"the bank says so\"}";
  private static final String DONE =
      "{\"outcome\":\"done\",\"status\":201,\"reason\":\"the bank says so\"}";
  private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

  private static final Set<String> READS = Set.of("find", "browse", "audit");

  private final AdminDocument document = AdminDocument.read();
  private final AtomicBoolean isSilent = new AtomicBoolean();
  private final AtomicBoolean isDamaged = new AtomicBoolean();
  private final CountDownLatch go = new CountDownLatch(1);
  private volatile Supplier<GatewayConfig> source;
  private Gateway gateway;
  private Gateway plain;

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
                    go.await(30, TimeUnit.SECONDS);
                  }
                  return Upstream.write(
                      socket, "HTTP/1.1 201 Any\r\nContent-Length: 7\r\n\r\nreceipt");
                }));
    GatewayConfig config =
        config(upstream.url()).account(AccountResolver.none()).name("gw-1").build();
    source = () -> config;
    gateway =
        started(
            Gateway.builder(
                    config, seen(Browsable.class, History.class, Resolvable.class, Sweepable.class))
                .source(() -> source.get())
                .start());
    plain =
        started(
            Gateway.start(config(upstream.url()).account(AccountResolver.none()).build(), seen()));
    started(go::countDown);
  }

  /** Returns the store as one that is no more than {@code capabilities}, and silent on demand. */
  private Store seen(Class<?>... capabilities) {
    return Intercepted.store(
        store,
        (method, inside) -> {
          if (isSilent.get() && !method.equals("profile")) {
            throw new NoAnswerException("silent", null);
          }
          if (isDamaged.get() && READS.contains(method)) {
            throw new IllegalArgumentException("outcome has unknown flags 9");
          }
          return inside.call();
        },
        capabilities);
  }

  private Wire.Reply ask(
      Gateway asked, Operation operation, String idAndQuery, String headers, String body)
      throws IOException {
    String[] parts = idAndQuery.split("[?]", 2);
    String path = operation.path().replace("{id}", parts[0]);
    String length =
        headers.contains("Content-Length:") ? "" : "Content-Length: " + body.length() + "\r\n";
    Wire.Reply reply =
        Wire.call(
            asked.adminAddress().getPort(),
            operation.method()
                + " "
                + (parts.length == 1 ? path : path + "?" + parts[1])
                + " HTTP/1.1\r\nHost: admin\r\n"
                + headers
                + length
                + "\r\n"
                + body);
    document.check(operation, reply);
    return reply;
  }

  private void answers(
      int status, Operation operation, String idAndQuery, String headers, String body)
      throws IOException {
    assertThat(ask(gateway, operation, idAndQuery, headers, body).status())
        .as("%s %s", operation.name(), idAndQuery)
        .isEqualTo(status);
  }

  private String paid(String path, String name) throws IOException {
    Wire.call(port(gateway), Wire.post(path, name));
    return id(name);
  }

  private String id(String name) throws IOException {
    Operation list =
        document.operations().stream()
            .filter(each -> each.name().equals("GET /api/operations"))
            .findFirst()
            .orElseThrow();
    Matcher id = ID.matcher(ask(gateway, list, "?key=" + name, OPERATOR, "").text());
    assertThat(id.find()).as(name).isTrue();
    return id.group(1);
  }

  private String running() throws Exception {
    THREADS.execute(
        () -> {
          try {
            Wire.call(port(gateway), Wire.post("/slow", "running"));
          } catch (IOException e) {
            // The gateway closed.
          }
        });
    until(
        () -> {
          try {
            return !id("running").isEmpty();
          } catch (AssertionError e) {
            return false;
          }
        });
    return id("running");
  }

  @Test
  void everythingThatIsDocumentedIsAnsweredAndNothingElse() throws Exception {
    String paid = paid("/payments", "paid");
    String running = running();
    int lost = 0;
    for (Operation each : document.operations()) {
      String id = each.path().contains("{id}") ? paid : "";
      boolean settles = each.method().equals("POST") && each.path().contains("{id}");
      String body = each.path().endsWith("/resolve") ? DONE : settles ? REASON : "";
      String where = each.path().equals("/api/explain") ? "?key=paid" : id;
      if (!each.role().equals("open")) {
        answers(401, each, where, "", body);
      }
      answers(403, each, where, OPERATOR + "Origin: http://evil\r\n", body);
      if (each.role().equals("operator")) {
        answers(403, each, where, VIEWER, body);
      }
      answers(400, each, id + "?key=%zz", OPERATOR, body);
      answers(413, each, where, OPERATOR + "Content-Length: 2000000\r\n", "");
      if (!id.isEmpty()) {
        answers(404, each, "op_x", OPERATOR, body);
      }
      for (String accept : List.of("", TEXT)) {
        String own = settles ? paid("/silent", "lost-" + lost++) : where;
        answers(200, each, own, OPERATOR + accept, body);
      }
      refusals(each, paid, running);
      if (each.responses().containsKey("501")) {
        assertThat(ask(plain, each, where, OPERATOR, body).status()).isEqualTo(501);
      }
      if (each.responses().containsKey("500")) {
        isDamaged.set(true);
        answers(500, each, where, OPERATOR, body);
        isDamaged.set(false);
      }
      if (each.responses().containsKey("503") && !each.path().equals("/api/reload")) {
        isSilent.set(true);
        // Readiness counts for a second.
        until(() -> ask(gateway, each, where, OPERATOR, body).status() == 503);
        isSilent.set(false);
      }
    }
    document.isWhole();
  }

  /** What only some operations refuse. */
  private void refusals(Operation each, String paid, String running) throws IOException {
    switch (each.path()) {
      case "/api/operations" -> answers(400, each, "?limit=0", VIEWER, "");
      case "/api/explain" -> {
        answers(400, each, "?limit=1", VIEWER, "");
        answers(404, each, "?key=none", VIEWER, "");
      }
      case "/api/routes" -> {
        answers(400, each, "?route=GET%20/nowhere", VIEWER, "");
        answers(200, each, "?route=all%20requests", VIEWER, "");
      }
      case "/api/audit" -> answers(400, each, "?before=noon", VIEWER, "");
      case "/api/operations/{id}/answer" -> answers(409, each, running, OPERATOR, "");
      case "/api/operations/{id}/resolve" -> {
        answers(400, each, paid, OPERATOR, "{");
        answers(409, each, paid, OPERATOR, DONE);
      }
      case "/api/operations/{id}/forget" -> {
        answers(400, each, paid, OPERATOR, "{}");
        answers(409, each, running, OPERATOR, REASON);
      }
      case "/api/reload" -> reloads(each);
      default -> assertThat(each.responses().containsKey("409")).as(each.name()).isFalse();
    }
  }

  private void reloads(Operation reload) throws IOException {
    Supplier<GatewayConfig> fine = source;
    source =
        () -> {
          throw new IllegalArgumentException("line 4");
        };
    answers(400, reload, "", OPERATOR, "");
    source =
        () -> {
          throw new IllegalStateException("the disk is gone");
        };
    answers(503, reload, "", OPERATOR, "");
    source = fine;
    assertThat(ask(plain, reload, "", OPERATOR, "").status()).isEqualTo(404);
  }

  @Test
  void whateverIsAskedNothingUndocumentedIsAnswered() throws IOException {
    String paid = paid("/payments", "paid");
    List<Operation> operations = document.operations();
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 400; i++) {
      Operation each = operations.get(random.nextInt(operations.size()));
      String query =
          one(random, "", "?", "?key=paid", "?key=%zz", "?limit=%", "?limit=-1", "?%00=%00");
      String more =
          one(random, "", "&state=none", "&older=1y", "&cursor=%2f", "&cursor=9", "&route=%7b");
      String id = one(random, paid, "op_", "op_AAAA", "%zz", "..", "op_" + "A".repeat(3000), "%00");
      String headers =
          one(random, OPERATOR, OPERATOR, OPERATOR, VIEWER, "Authorization: Bearer\r\n")
              + one(random, "", TEXT, "Accept: \r\n", "Origin: null\r\n", "Content-Type: \r\n");
      String body =
          one(random, "", REASON, DONE, "[]", "{\"reason\":{}}", "\"", "{\"outcome\":1e999}", "\0");
      try {
        ask(random.nextBoolean() ? gateway : plain, each, id + query + more, headers, body);
      } catch (AssertionError | RuntimeException | IOException e) {
        throw new AssertionError(
            "with the seed " + seed + ", step " + i + ": " + each + id + query + more, e);
      }
    }
  }

  private static String one(Random random, String... of) {
    return of[random.nextInt(of.length)];
  }
}
