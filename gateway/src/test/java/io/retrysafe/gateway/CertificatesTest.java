// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.Tls;
import io.retrysafe.store.MemoryStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates that are renewed while the gateway runs. */
class CertificatesTest extends GatewayTests {
  private static final String RELOAD = "/api/reload";

  private final Path folder;
  private Certificate first;
  private Certificate second;
  private Tls files;

  CertificatesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void makeCertificates() throws Exception {
    first = Certificate.create();
    second = Certificate.create();
    files = new Tls(folder.resolve("certificate.pem"), folder.resolve("key.pem"));
    use(first);
  }

  private void use(Certificate other) throws IOException {
    copy(other.tls().certificate(), files.certificate());
    copy(other.tls().key(), files.key());
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }

  private Gateway reloading(GatewayConfig config) {
    return started(Gateway.builder(config, store).source(() -> config).start());
  }

  private Gateway encrypted(Upstream upstream) {
    Listen listen = Listen.parse("127.0.0.1:0").tls(files);
    return reloading(config(upstream.url()).listen(listen).admin(listen).build());
  }

  private static HttpClient trusting(Certificate certificate) {
    return HttpClient.newBuilder().sslContext(certificate.trusting()).build();
  }

  private static HttpRequest.Builder to(int port, String path) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + port + path))
        .timeout(Duration.ofSeconds(60));
  }

  private static HttpResponse<String> reload(Gateway gateway, HttpClient client) throws Exception {
    return client.send(
        to(gateway.adminAddress().getPort(), RELOAD)
            .header("Authorization", "Bearer admin-secret-1234")
            .POST(BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }

  private static int status(HttpClient client, int port, String path) throws Exception {
    return client.send(to(port, path).build(), BodyHandlers.ofString()).statusCode();
  }

  @Test
  void aReloadShowsTheNewCertificateAndDropsNothing() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) ->
                    (!asked.line().contains("/held") || go.await(60, TimeUnit.SECONDS))
                        && Upstream.write(socket, 201, "charged")));
    Gateway gateway = encrypted(upstream);
    HttpClient old = trusting(first);
    HttpRequest held =
        to(port(gateway), "/held")
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.ofString("{}"))
            .build();
    CompletableFuture<HttpResponse<String>> running = old.sendAsync(held, BodyHandlers.ofString());
    until(() -> upstream.asked().size() == 1);
    use(second);

    assertThat(reload(gateway, old).statusCode()).isEqualTo(200);

    for (int port : new int[] {port(gateway), gateway.adminAddress().getPort()}) {
      assertThatThrownBy(() -> status(trusting(first), port, "/health/live"))
          .isInstanceOf(SSLHandshakeException.class);
      for (int i = 0; i < 4; i++) {
        // Connections go to one event loop after another.
        assertThat(status(trusting(second), port, "/health/live")).isLessThan(300);
      }
    }
    assertThat(status(old, port(gateway), "/x")).as("on the connection it has").isEqualTo(201);
    go.countDown();
    assertThat(running.get(60, TimeUnit.SECONDS).body()).isEqualTo("charged");
  }

  @Test
  void aKeyThatIsNotTheCertificatesChangesNothing() throws Exception {
    Gateway gateway = encrypted(started(Upstream.charging()));
    copy(second.tls().certificate(), files.certificate());

    HttpResponse<String> refused = reload(gateway, trusting(first));

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("is not that of the certificate");
    assertThat(status(trusting(first), port(gateway), "/x")).isEqualTo(201);
    Files.writeString(files.key(), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----");
    assertThat(reload(gateway, trusting(first)).body())
        .contains("not a certificate and its private key")
        .doesNotContain("AAAA");
    assertThat(status(trusting(first), port(gateway), "/x")).isEqualTo(201);
  }

  @Test
  void rootsOfUpstreamsAreReadAgain() throws Exception {
    Upstream application = started(Upstream.charging());
    Listen listen = Listen.parse("127.0.0.1:0").tls(second.tls());
    Gateway behind =
        started(
            Gateway.start(config(application.url()).listen(listen).build(), MemoryStore.create()));
    Path roots = folder.resolve("roots.pem");
    copy(first.tls().certificate(), roots);
    URI url = URI.create("https://localhost:" + port(behind));
    Gateway gateway = reloading(config(url).upstreamRoots(roots).build());
    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).problem())
        .isEqualTo("upstream-unreachable");

    Files.writeString(roots, "none");
    assertThatThrownBy(() -> gateway.reload(config(url).upstreamRoots(roots).build()))
        .hasMessageContaining("has no certificates");
    copy(second.tls().certificate(), roots);
    gateway.reload(config(url).upstreamRoots(roots).build());

    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).text()).isEqualTo("charge 1");
  }

  @Test
  void whetherThereIsTlsNeedsARestart() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = encrypted(upstream);

    assertThatThrownBy(() -> gateway.reload(config(upstream.url()).build()))
        .hasMessageContaining("listen cannot change");
  }
}
