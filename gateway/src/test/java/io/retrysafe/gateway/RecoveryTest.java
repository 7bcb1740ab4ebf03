// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.ForwardKey;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.RecoveryLookup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Upstreams that are asked what became of an operation, and authorizers before replays. */
class RecoveryTest extends GatewayTests {
  private static final Duration AFTER = Duration.ofSeconds(30);

  private final AtomicInteger lookupStatus = new AtomicInteger(404);
  private final AtomicInteger posts = new AtomicInteger();

  /** Cuts the first POST off and answers later ones; answers a GET as it is told. */
  private Upstream upstream() throws IOException {
    return started(
        new Upstream(
            (asked, socket) ->
                asked.head().startsWith("GET ")
                    ? Upstream.write(socket, lookupStatus.get(), "looked up")
                    : posts.incrementAndGet() > 1 && Upstream.write(socket, 201, "charged")));
  }

  private Gateway asking(Upstream upstream, ForwardKey forwardKey) {
    return gateway(
        upstream,
        c ->
            c.route(
                GatewayRoute.create("POST /payments")
                    .forwardKey(forwardKey)
                    .lookup(RecoveryLookup.parse("GET /payments/by-key/{key}", AFTER))));
  }

  private Wire.Reply call(Gateway gateway) throws IOException {
    return Wire.call(
        port(gateway), Wire.post("/payments", key, "Authorization: Bearer t\r\n", "{}"));
  }

  private void pass(Duration time) {
    now.updateAndGet(before -> before.plus(time));
  }

  @Test
  void nobodyIsAskedBeforeItIsTime() throws Exception {
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.SAME);
    assertThat(call(gateway).problem()).isEqualTo("upstream-silent");

    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");
    pass(AFTER.minusSeconds(1));
    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");

    assertThat(upstream.count("GET")).isZero();
    assertThat(upstream.count("POST")).isEqualTo(1);
  }

  @Test
  void whatNeverHappenedIsRun() throws Exception {
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.SAME);
    call(gateway);
    pass(AFTER);

    Wire.Reply reply = call(gateway);

    assertThat(reply.text()).isEqualTo("charged");
    assertThat(upstream.count("POST")).isEqualTo(2);
    Upstream.Asked lookup = upstream.asked().get(1);
    assertThat(lookup.line()).isEqualTo("GET /payments/by-key/" + key + " HTTP/1.1");
    assertThat(lookup.all("Authorization")).containsExactly("Bearer t");
    assertThat(call(gateway).isReplayed()).isTrue();
  }

  @Test
  void whatHappenedIsAnsweredAndNotRunAgain() throws Exception {
    lookupStatus.set(200);
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.DERIVED);
    call(gateway);
    pass(AFTER);

    for (int i = 0; i < 2; i++) {
      Wire.Reply reply = call(gateway);
      assertThat(reply.text()).isEqualTo("looked up");
      assertThat(reply.isReplayed()).isTrue();
    }

    assertThat(upstream.count("POST")).isEqualTo(1);
    assertThat(upstream.count("GET")).isEqualTo(1);
    String sent = upstream.asked().get(0).all("Idempotency-Key").get(0);
    assertThat(upstream.asked().get(1).line()).contains("/by-key/" + sent + " ");
  }

  @Test
  void byDefaultNobodyIsAskedWhileTheGatewayItselfMayWaitForALateAnswer() throws Exception {
    Upstream upstream = upstream();
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.route(
                    GatewayRoute.create("POST /payments")
                        .lookup(RecoveryLookup.parse("GET /payments/by-key/{key}", null))));
    lookupStatus.set(200);
    call(gateway);

    pass(limits().answerTimeout().multipliedBy(9).plusSeconds(1));
    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");
    assertThat(upstream.count("GET")).isZero();
    pass(limits().answerTimeout());
    assertThat(call(gateway).text()).isEqualTo("looked up");
  }

  @Test
  void whatNobodyKnowsStaysParkedAndIsAskedAgainLater() throws Exception {
    lookupStatus.set(500);
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.SAME);
    call(gateway);
    pass(AFTER);

    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");
    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");

    assertThat(upstream.count("GET")).isEqualTo(1);
    assertThat(upstream.count("POST")).isEqualTo(1);
    lookupStatus.set(200);
    pass(AFTER);
    assertThat(call(gateway).text()).isEqualTo("looked up");
  }

  /** Asks about {@code count} unknown operations at once; the service says nothing yet. */
  private List<CompletableFuture<Wire.Reply>> askedAtOnce(Gateway gateway, int count)
      throws Exception {
    List<String> keys = Stream.generate(() -> UUID.randomUUID().toString()).limit(count).toList();
    for (String each : keys) {
      Wire.Reply reply = Wire.call(port(gateway), Wire.post("/payments", each));
      assertThat(reply.problem()).isEqualTo("upstream-silent");
    }
    pass(AFTER);
    return keys.stream()
        .map(
            each ->
                CompletableFuture.supplyAsync(
                    () -> {
                      try {
                        return Wire.call(port(gateway), Wire.post("/payments", each));
                      } catch (IOException e) {
                        throw new UncheckedIOException(e);
                      }
                    },
                    THREADS))
        .toList();
  }

  @Test
  void slowLookupsHoldNothingElseUp() throws Exception {
    // More than there are threads for the store, and than connections to an upstream.
    int count = 300;
    CountDownLatch answering = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  if (asked.line().contains("/by-key/")) {
                    answering.await();
                    return Upstream.write(socket, 200, "looked up");
                  }
                  return !asked.line().contains("/payments")
                      && Upstream.write(socket, 201, "shipped");
                }));
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.limits(limits().upstreamConnections(600))
                    .route(
                        GatewayRoute.create("POST /payments")
                            .lookup(RecoveryLookup.parse("GET /by-key/{key}", AFTER))));
    List<CompletableFuture<Wire.Reply>> replies = askedAtOnce(gateway, count);
    until(() -> upstream.count("GET") == count);

    assertThat(Wire.call(port(gateway), Wire.post("/shipments", key)).text()).isEqualTo("shipped");
    assertThat(Wire.call(port(gateway), Wire.get("/shipments/1", "")).text()).isEqualTo("shipped");
    assertThat(replies).noneMatch(CompletableFuture::isDone);

    answering.countDown();
    for (CompletableFuture<Wire.Reply> reply : replies) {
      assertThat(reply.get(60, TimeUnit.SECONDS).text()).isEqualTo("looked up");
    }
  }

  @Test
  void aLookupThatIsNotAnsweredInTimeLeavesItParked() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    Upstream upstream = upstream();
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.limits(limits().answerTimeout(Duration.ofMillis(200)))
                    .route(
                        GatewayRoute.create("POST /payments")
                            .lookup(RecoveryLookup.parse("GET /by-key/{key}", AFTER))));
    call(gateway);
    pass(AFTER);
    upstream.behave(
        (asked, socket) -> {
          // It says something now and then, and never all of it.
          Upstream.write(socket, "HTTP/1.1 200 Any\r\nContent-Length: 100000\r\n\r\n");
          while (!over.await(10, TimeUnit.MILLISECONDS)) {
            Upstream.write(socket, "x");
          }
          return false;
        });

    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");

    assertThat(upstream.count("POST")).isEqualTo(1);
    until(() -> upstream.connections() == 0);
    over.countDown();
  }

  @Test
  void aLookupWhoseAnswerIsEndlessLeavesItParked() throws Exception {
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.SAME);
    call(gateway);
    pass(AFTER);
    byte[] part = new byte[1024 * 1024];
    upstream.behave(
        (asked, socket) -> {
          Upstream.write(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
          for (int i = 0; i < 10_000; i++) {
            socket.getOutputStream().write(part);
          }
          return false;
        });

    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");

    assertThat(upstream.count("POST")).isEqualTo(1);
  }

  @Test
  void aLookupThatNobodyWaitsForIsRecorded() throws Exception {
    CountDownLatch answering = new CountDownLatch(1);
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.SAME);
    call(gateway);
    pass(AFTER);
    upstream.behave(
        (asked, socket) -> {
          answering.await();
          return Upstream.write(socket, 200, "looked up");
        });
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key, "Authorization: Bearer t\r\n", "{}"));
      until(() -> upstream.count("GET") == 1);
    }
    answering.countDown();

    until(() -> call(gateway).isReplayed());
    assertThat(upstream.count("POST")).isEqualTo(1);
    assertThat(upstream.count("GET")).isEqualTo(1);
  }

  @Test
  void anAuthorizerIsAskedBeforeEachReplay() throws Exception {
    AtomicInteger verdict = new AtomicInteger(204);
    Upstream authorizer =
        started(
            new Upstream(
                (asked, socket) ->
                    Upstream.write(
                        socket,
                        "HTTP/1.1 "
                            + verdict.get()
                            + " Any\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n")));
    Upstream upstream = started(Upstream.charging());
    URI authorize = URI.create(authorizer.url() + "/may?replay=1");
    Gateway gateway =
        gateway(upstream, c -> c.route(GatewayRoute.create("POST /payments").authorize(authorize)));
    assertThat(call(gateway).status()).isEqualTo(201);
    assertThat(authorizer.asked()).isEmpty();

    assertThat(call(gateway).isReplayed()).isTrue();

    Upstream.Asked question = authorizer.asked().get(0);
    assertThat(question.line()).isEqualTo("GET /may?replay=1 HTTP/1.1");
    assertThat(question.all("Authorization")).containsExactly("Bearer t");
    assertThat(question.all("X-Original-URI")).containsExactly("/payments");
    assertThat(question.all("X-Original-Method")).containsExactly("POST");
    for (int status : new int[] {401, 403}) {
      verdict.set(status);
      Wire.Reply refused = call(gateway);
      assertThat(refused.status()).isEqualTo(status);
      assertThat(refused.text()).isEmpty();
      assertThat(refused.header("WWW-Authenticate")).contains("Bearer");
    }
    verdict.set(500);
    assertThat(call(gateway).problem()).isEqualTo("authorizer-unavailable");
    authorizer.close();
    assertThat(call(gateway).problem()).isEqualTo("authorizer-unavailable");
    assertThat(upstream.asked()).hasSize(1);
  }
}
