// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.Listen;
import io.retrysafe.store.MemoryStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** HTTP/2 and TLS, in and out. */
class ProtocolsTest extends GatewayTests {

  private HttpRequest.Builder request(URI base, String path) {
    return HttpRequest.newBuilder(base.resolve(path))
        .timeout(Duration.ofMinutes(2))
        .header("Idempotency-Key", key);
  }

  /** Starts a gateway that speaks TLS and has a store of its own: it may be another's upstream. */
  private Gateway behindTls(String host, Certificate certificate, Upstream application) {
    Listen listen = Listen.parse(host + ":0").tls(certificate.tls());
    return started(
        Gateway.start(config(application.url()).listen(listen).build(), MemoryStore.create()));
  }

  private void assertServed(HttpClient client, URI base, HttpClient.Version version)
      throws Exception {
    HttpResponse<String> get = client.send(request(base, "/x").build(), BodyHandlers.ofString());
    assertThat(get.version()).isEqualTo(version);
    assertThat(get.body()).startsWith("charge ");
    HttpRequest post = request(base, "/payments").POST(BodyPublishers.ofString("{}")).build();
    HttpResponse<String> first = client.send(post, BodyHandlers.ofString());
    HttpResponse<String> again = client.send(post, BodyHandlers.ofString());
    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(first.version()).isEqualTo(version);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
  }

  /** This client asks for an upgrade to h2c in its first request. */
  @Test
  void nothingIsUpgradedToHttp2() throws Exception {
    Upstream upstream = started(Upstream.charging());
    for (boolean isH2c : List.of(false, true)) {
      Gateway gateway = gateway(upstream, c -> c.h2c(isH2c));
      HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
      HttpRequest get = request(URI.create("http://127.0.0.1:" + port(gateway)), "/x").build();

      HttpResponse<String> answer = client.send(get, BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(201);
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    }
    assertThat(upstream.asked())
        .allMatch(asked -> asked.all("Upgrade").isEmpty() && asked.all("HTTP2-Settings").isEmpty());
  }

  @Test
  void http2IsSpokenInTheClearOnlyWhereItIsConfigured() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway speaking = gateway(upstream, c -> c.h2c(true));

    assertThat(HostileClient.h2c(speaking).call("GET", "/x").status()).isEqualTo(201);
    try (Http2Wire wire = HostileClient.h2c(gateway(upstream)).http2()) {
      assertThat(wire.isClosed()).isTrue();
    }
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void manyRequestsShareAConnectionOfHttp2() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Duration patience = Duration.ofMinutes(2);
    Certificate certificate = Certificate.create();
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.limits(limits().bodyTimeout(patience).answerTimeout(patience))
                    .listen(Listen.parse("127.0.0.1:0").tls(certificate.tls())));
    URI base = URI.create("https://localhost:" + port(gateway));
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_2)
            .sslContext(certificate.trusting())
            .build();
    client.send(request(base, "/x").build(), BodyHandlers.ofString());
    byte[] body = new byte[100_000];
    new Random(1).nextBytes(body);

    List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      HttpRequest post =
          request(base, "/payments/" + i).POST(BodyPublishers.ofByteArray(body)).build();
      calls.add(client.sendAsync(post, BodyHandlers.ofString()));
      HttpRequest unknownLength =
          request(base, "/streams/" + i)
              .POST(BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(body)))
              .build();
      calls.add(client.sendAsync(unknownLength, BodyHandlers.ofString()));
    }

    for (CompletableFuture<HttpResponse<String>> call : calls) {
      assertThat(call.join().statusCode()).isEqualTo(201);
    }
    assertThat(upstream.count("POST")).isEqualTo(100);
    assertThat(upstream.asked())
        .filteredOn(asked -> asked.head().startsWith("POST"))
        .allMatch(asked -> Arrays.equals(asked.body(), body));
  }

  @Test
  void tlsComesInWithBothVersions() throws Exception {
    Certificate certificate = Certificate.create();
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = behindTls("127.0.0.1", certificate, upstream);
    URI base = URI.create("https://localhost:" + port(gateway));
    for (HttpClient.Version version : HttpClient.Version.values()) {
      HttpClient client =
          HttpClient.newBuilder().version(version).sslContext(certificate.trusting()).build();
      assertServed(client, base, version);
    }
    assertThat(upstream.asked().get(0).all("X-Forwarded-Proto")).containsExactly("https");
    assertThat(upstream.count("POST")).isEqualTo(1);
  }

  @Test
  void foldedHeadersAreRefusedBehindTlsToo() throws Exception {
    Certificate certificate = Certificate.create();
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = behindTls("127.0.0.1", certificate, upstream);
    try (var socket =
        certificate.trusting().getSocketFactory().createSocket("localhost", port(gateway))) {
      socket.setSoTimeout(5000);
      socket.getOutputStream().write(Wire.get("/x", "X: a\r\n b\r\n").getBytes(UTF_8));

      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);

      assertThat(answer).contains(" 400 ").contains("not well-formed");
    }
    assertThat(upstream.asked()).isEmpty();
  }

  private Gateway trusting(Certificate certificate, URI upstream) {
    return started(
        Gateway.start(
            config(upstream).upstreamRoots(certificate.tls().certificate()).build(), store));
  }

  private void assertUnreachable(Gateway gateway) throws IOException {
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key + "2")).problem())
        .isEqualTo("upstream-unreachable");
  }

  @Test
  void tlsGoesOutToUpstreamsThatAreTrusted() throws Exception {
    Certificate certificate = Certificate.create();
    Upstream application = started(Upstream.charging());
    Gateway behind = behindTls("127.0.0.1", certificate, application);
    URI url = URI.create("https://localhost:" + port(behind));
    Gateway trusting = trusting(certificate, url);
    Gateway wary = started(Gateway.start(config(url).build(), store));

    assertThat(Wire.call(port(trusting), Wire.post("/payments", key)).text()).isEqualTo("charge 1");
    assertUnreachable(wary);
  }

  @Test
  void aTrustedCertificateOfAnotherHostIsNotEnough() throws Exception {
    Certificate certificate = Certificate.create();
    Upstream application = started(Upstream.charging());
    Gateway behind = behindTls("127.0.0.2", certificate, application);
    // The same machine, under a name that the certificate does not have.
    URI url = URI.create("https://127.0.0.2:" + port(behind));

    assertUnreachable(trusting(certificate, url));
    assertThat(application.asked()).isEmpty();
  }
}
