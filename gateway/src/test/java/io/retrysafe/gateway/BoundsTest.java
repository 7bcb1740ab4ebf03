// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.internal.proxy.StreamedBodies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** More connections and requests at once than a gateway takes, and some that stand still. */
class BoundsTest extends GatewayTests {
  private final CountDownLatch go = new CountDownLatch(1);

  @Test
  void oneConnectionTooManyIsToldSoAndClosed() throws Exception {
    Gateway gateway = gateway(started(Upstream.charging()), c -> c.limits(limits().connections(2)));
    try (Wire one = new Wire(port(gateway));
        Wire two = new Wire(port(gateway))) {
      assertThat(one.send(Wire.get("/x", "")).read().status()).isEqualTo(201);
      assertThat(two.send(Wire.get("/x", "")).read().status()).isEqualTo(201);
      try (Wire three = new Wire(port(gateway))) {
        Wire.Reply refused = three.send(Wire.get("/x", "")).read();

        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Retry-After")).contains("1");
        assertThat(refused.text()).contains("Too many connections");
        assertThat(three.isClosed()).isTrue();
      }
      assertThat(one.send(Wire.get("/x", "")).read().status()).as("still there").isEqualTo(201);
      assertThat(metrics(gateway)).contains("retrysafe_connections_refused_total 1\n");
    }
    until(() -> Wire.call(port(gateway), Wire.get("/x", "")).status() == 201);
  }

  @Test
  void aFloodOfConnectionsIsClosedWithoutAWord() throws Exception {
    Gateway gateway = gateway(started(Upstream.charging()), c -> c.limits(limits().connections(1)));
    try (Wire one = new Wire(port(gateway))) {
      one.send(Wire.get("/x", "")).read();

      until(() -> silentlyClosed(gateway, 150) > 0);

      assertThat(one.send(Wire.get("/x", "")).read().status()).isEqualTo(201);
    }
  }

  private static long silentlyClosed(Gateway gateway, int count) throws IOException {
    List<Wire> wires = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        wires.add(new Wire(port(gateway)));
      }
      return wires.stream().filter(Wire::isClosed).count();
    } finally {
      for (Wire wire : wires) {
        wire.close();
      }
    }
  }

  @Test
  void aRefusedRequestWhoseBodyDoesNotComeIsCutOff() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.limits(
                    limits().bodyTimeout(Duration.ofMillis(300)).headTimeout(Duration.ofHours(1))));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send("POST /x HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\nx");

      assertThat(wire.read().problem()).isEqualTo("key-missing");
      assertThat(wire.isClosed()).isTrue();
    }
  }

  @Test
  void aRefusedRequestWhoseBodyComesKeepsItsConnection() throws Exception {
    Gateway gateway =
        gateway(
            started(Upstream.charging()),
            c ->
                c.limits(
                    limits().bodyTimeout(Duration.ofSeconds(3)).headTimeout(Duration.ofHours(1))));
    String head = "POST /x HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\n";
    List<Wire> kept = new ArrayList<>();
    for (int i = 0; i < 2 * gateway.loops(); i++) {
      Wire wire = started(new Wire(port(gateway)));
      assertThat(wire.send(head).read().problem()).isEqualTo("key-missing");
      kept.add(wire.send("0123456789"));
    }
    // Every event loop has cut off one that came later.
    List<Wire> cut = new ArrayList<>();
    for (int i = 0; i < 2 * gateway.loops(); i++) {
      Wire wire = started(new Wire(port(gateway)));
      wire.send(head).read();
      cut.add(wire);
    }
    assertThat(cut).allMatch(Wire::isClosed);

    for (Wire wire : kept) {
      assertThat(wire.send(Wire.get("/x", "")).read().status()).isEqualTo(201);
    }
  }

  @Test
  void oneConnectionTooManyIsClosedBehindTls() throws Exception {
    Certificate certificate = Certificate.create();
    Gateway gateway =
        gateway(
            started(Upstream.charging()),
            c ->
                c.limits(limits().connections(1))
                    .listen(Listen.parse("127.0.0.1:0").tls(certificate.tls())));
    HttpClient client = HttpClient.newBuilder().sslContext(certificate.trusting()).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("https://localhost:" + port(gateway))).build();
    try (Wire one = new Wire(port(gateway))) {
      assertThatThrownBy(() -> client.send(request, BodyHandlers.ofString()))
          .as("beside %s", one)
          .isInstanceOf(IOException.class);
    }
    until(() -> isServed(client, request));
  }

  /** The one that was there may not be gone yet. */
  private static boolean isServed(HttpClient client, HttpRequest request) throws Exception {
    try {
      return client.send(request, BodyHandlers.ofString()).statusCode() == 201;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void oneRequestTooManyIsToldSoAndNotSent() throws Exception {
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    Gateway gateway = gateway(upstream, c -> c.limits(limits().requests(2)));
    try (Wire guarded = new Wire(port(gateway));
        Wire passing = new Wire(port(gateway))) {
      guarded.send(Wire.post("/payments", key));
      passing.send(Wire.get("/x", ""));
      until(() -> upstream.asked().size() == 2);

      for (String request : List.of(Wire.post("/payments", key + "2"), Wire.get("/x", ""))) {
        Wire.Reply refused = Wire.call(port(gateway), request);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.problem()).isEqualTo("too-many-operations");
        assertThat(refused.header("Retry-After")).isPresent();
      }

      assertThat(upstream.asked()).hasSize(2);
      go.countDown();
      assertThat(guarded.read().status()).isEqualTo(201);
      assertThat(passing.read().status()).isEqualTo(201);
    }
    until(() -> metrics(gateway).contains("retrysafe_requests 0\n"));
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key + "2")).status()).isEqualTo(201);
    until(() -> metrics(gateway).contains("retrysafe_requests 0\n"));
  }

  @Test
  void requestsOfClientsThatHaveGoneMakeRoom() throws Exception {
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    Gateway gateway = gateway(upstream, c -> c.limits(limits().requests(3)));
    String whole = Wire.post("/payments", key);
    try (Wire running = new Wire(port(gateway));
        Wire reading = new Wire(port(gateway));
        Wire passing = new Wire(port(gateway))) {
      running.send(whole);
      reading.send(whole.substring(0, whole.length() - 1));
      passing.send(Wire.get("/x", ""));
      until(() -> metrics(gateway).contains("retrysafe_requests 3\n"));
    }

    until(() -> metrics(gateway).contains("retrysafe_requests 0\n"));
  }

  @Test
  void aConnectionOfHttp2GoesOnAfterOneRequestTooMany() throws Exception {
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    Certificate certificate = Certificate.create();
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.limits(limits().requests(3))
                    .listen(Listen.parse("127.0.0.1:0").tls(certificate.tls())));
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_2)
            .sslContext(certificate.trusting())
            .build();
    URI base = URI.create("https://localhost:" + port(gateway));
    go.countDown();
    client.send(HttpRequest.newBuilder(base).build(), BodyHandlers.ofString());
    CountDownLatch held = new CountDownLatch(1);
    upstream.behave(
        (asked, socket) -> held.await(60, TimeUnit.SECONDS) && Upstream.write(socket, 201, "x"));
    List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      HttpRequest post =
          HttpRequest.newBuilder(base.resolve("/payments"))
              .header("Idempotency-Key", key + i)
              .POST(BodyPublishers.ofString("{}"))
              .build();
      calls.add(client.sendAsync(post, BodyHandlers.ofString()));
    }
    until(() -> calls.stream().filter(CompletableFuture::isDone).count() == 7);
    held.countDown();

    List<Integer> statuses = new ArrayList<>();
    for (CompletableFuture<HttpResponse<String>> call : calls) {
      statuses.add(call.get(60, TimeUnit.SECONDS).statusCode());
    }
    assertThat(statuses).filteredOn(status -> status == 429).hasSize(7);
    assertThat(statuses).filteredOn(status -> status == 201).hasSize(3);
  }

  @Test
  void whoFindsNoConnectionToTheUpstreamInTimeIsToldThatNothingWasSent() throws Exception {
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    Gateway gateway =
        gateway(
            upstream,
            c -> c.limits(limits().upstreamConnections(1).connectTimeout(Duration.ofMillis(500))));
    int count = 2 * gateway.loops() + 1;
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String request = Wire.post("/payments", key + i);
      calls.add(CompletableFuture.supplyAsync(() -> status(gateway, request), THREADS));
    }
    // One for each event loop gets through; the others are told.
    until(
        () -> calls.stream().filter(CompletableFuture::isDone).count() >= count - gateway.loops());
    go.countDown();

    List<Integer> statuses = new ArrayList<>();
    for (CompletableFuture<Integer> call : calls) {
      statuses.add(call.get(60, TimeUnit.SECONDS));
    }
    assertThat(statuses).containsOnly(201, 502).contains(502);
    assertThat(upstream.asked()).hasSize((int) statuses.stream().filter(s -> s == 201).count());
    assertThat(upstream.asked()).hasSizeLessThanOrEqualTo(gateway.loops());
  }

  private static int status(Gateway gateway, String request) {
    try {
      return Wire.call(port(gateway), request).status();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aBodyThatPassesMustNotStandStill() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().bodyTimeout(Duration.ofMillis(900))));
    for (int sent : List.of(1, 2 * StreamedBodies.ENOUGH)) {
      try (Wire wire = new Wire(port(gateway))) {
        wire.send("PUT /x HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n");
        wire.send("x".repeat(sent));

        assertThat(wire.read().status()).isEqualTo(408);
        assertThat(wire.isClosed()).isTrue();
      }
    }
  }

  @Test
  void slowUploadsTakeNoConnectionsFromRequestsThatPass() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream, c -> c.limits(limits().upstreamConnections(4)));
    for (int i = 0; i < 40; i++) {
      Wire slow = started(new Wire(port(gateway)));
      slow.send("PUT /x HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n");
      slow.send("x".repeat(1000));
    }
    until(() -> gateway.metrics().open().get() == 40);

    for (int i = 0; i < 10; i++) {
      assertThat(Wire.call(port(gateway), Wire.get("/x", "")).status()).isEqualTo(201);
    }

    assertThat(upstream.count("PUT")).isZero();
    assertThat(gateway.metrics().bodies().held()).isEqualTo(40_000);
  }
}
