// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.HostileClientTable.ALL;
import static io.retrysafe.gateway.HostileClientTable.shown;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClientTable.Answer;
import io.retrysafe.gateway.HostileClientTable.Port;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.FingerprintRule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** Bodies that are made to be dear: JSON that is hard to compare, and bodies that fill the disk. */
class HostileClientBodiesTest extends HostileClientTests {
  private static final int IN_MEMORY = 1000;
  private static final int LARGEST = 4 << 20;

  /** JSON that takes much memory or time to read; it may be read or refused. */
  private static final List<String> BOMBS =
      List.of(
          "[" + "{},".repeat(1 << 20) + "{}]",
          "[".repeat(1 << 20),
          "{\"a\":".repeat(200_000),
          "\"" + "\\u0000".repeat(500_000),
          "1".repeat(3 << 20));

  /** JSON that two parsers could read differently. */
  private static final List<String> AMBIGUOUS =
      List.of(
          "{\"a\":1,\"a\":2}",
          "{\"a\":1,\"\\u0061\":2}",
          "\ufeff{}",
          "\"\\ud800\"",
          "\"\\udc00\\ud800\"",
          "{\"a\":01}",
          "{\"a\":+1}",
          "{\"a\":NaN}",
          "{\"a\":1,}",
          "[1]//",
          "{'a':1}",
          "{} {}",
          "\u0000");

  @Override
  GatewayConfig.Builder config(GatewayConfig.Builder config) {
    HttpPolicy onDisk =
        HttpPolicy.create()
            .with("body-memory", String.valueOf(IN_MEMORY))
            .with("body-limit", String.valueOf(LARGEST));
    HttpPolicy json = HttpPolicy.create().fingerprint(FingerprintRule.json());
    return config
        .route(GatewayRoute.create("POST /json").policy(json))
        .route(GatewayRoute.create("POST /disk").policy(onDisk));
  }

  private static HostileClientRequest json(String body) {
    return HostileClientRequest.of(
            "POST", "/json", "idempotency-key", key(), "content-type", "application/json")
        .body(body);
  }

  @Override
  void attacks(HostileClientTable table) {
    Answer readOrRefused = Answer.any(201, 400, 413, 429);
    for (String bomb : BOMBS) {
      table.on(
          Port.REQUESTS,
          ALL,
          "JSON that begins with " + shown(bomb.substring(0, 12)),
          client -> readOrRefused.check(json(bomb).send(client)));
    }
    Answer refused = Answer.of(400, "body-invalid");
    for (String text : AMBIGUOUS) {
      table.on(
          Port.REQUESTS,
          ALL,
          "the JSON " + shown(text),
          client -> unsent(() -> refused.check(json(text).send(client))));
    }
    table.on(Port.REQUESTS, ALL, "JSON that says it is compressed", this::compressed);
    table.on(Port.REQUESTS, ALL, "a passing body in parts is sent whole", this::inParts);
    table.on(Port.REQUESTS, ALL, "bodies on disk, fast", client -> onDisk(client, 200_000));
    table.on(Port.REQUESTS, ALL, "bodies on disk, slow", client -> onDisk(client, IN_MEMORY + 1));
    table.on(
        Port.REQUESTS,
        ALL,
        "a body on disk, huge",
        client ->
            Answer.any(0, 413)
                .check(
                    client.call("POST", "/disk", new byte[LARGEST + 1], "idempotency-key", key())));
    table.on(Port.REQUESTS, ALL, "bodies on disk, malformed", this::cutOffOnDisk);
  }

  /** What is not readable JSON is compared byte by byte. */
  private void compressed(HostileClient client) throws IOException {
    HostileClientRequest first = json("{\"a\":1}").with("content-encoding", "gzip");
    assertThat(first.send(client).status()).isEqualTo(201);
    assertThat(first.send(client).status()).isEqualTo(201);
    assertThat(first.body("{ \"a\":1}").send(client).problem()).isEqualTo("key-reused");
  }

  /** The first part can share a buffer with the head. None of them may get lost. */
  private void inParts(HostileClient client) throws IOException {
    String path = "/parts/" + key();
    byte[] first = "a".repeat(2000).getBytes(StandardCharsets.US_ASCII);
    byte[] rest = "b".repeat(8000).getBytes(StandardCharsets.US_ASCII);
    if (client.protocol().isHttp2()) {
      try (Http2Wire wire = client.http2()) {
        client.begin(wire, "PUT", path, false);
        wire.data(1, false, first).data(1, true, rest);
        assertThat(wire.read(1).status()).isEqualTo(201);
      }
    } else {
      String head = HostileClient.head("PUT", path, "Content-Length", "10000");
      try (Wire wire = client.http1()) {
        wire.send(head + new String(first, StandardCharsets.US_ASCII)).send(rest);
        assertThat(wire.read().status()).isEqualTo(201);
      }
    }
    assertThat(upstream().asked(path).body()).startsWith(first).endsWith(rest).hasSize(10_000);
  }

  /** Many uploads that go to disk and stop there. Their files are for the gateway's user only. */
  private void onDisk(HostileClient client, int first) throws Exception {
    List<HostileClientUpload> uploads = new ArrayList<>();
    try {
      for (int i = 0; i < MANY / 4; i++) {
        uploads.add(
            new HostileClientUpload(client, "POST", "/disk", first, "idempotency-key", key()));
      }
      assertHonestClientIsServed(client.protocol());
      assertForOwnerOnly(temporaryFiles());
      for (HostileClientUpload upload : uploads) {
        assertThat(upload.status()).isIn(0, 408);
      }
    } finally {
      for (HostileClientUpload upload : uploads) {
        upload.close();
      }
    }
  }

  private static void assertForOwnerOnly(List<Path> files) throws IOException {
    for (Path file : files) {
      try {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .isEqualTo("rw-------");
      } catch (NoSuchFileException e) {
        // Removed meanwhile.
      }
    }
  }

  /** Uploads whose clients leave in the middle. */
  private void cutOffOnDisk(HostileClient client) throws Exception {
    unsent(
        () ->
            atOnce(
                MANY / 4,
                () ->
                    new HostileClientUpload(
                            client, "POST", "/disk", 100_000, "idempotency-key", key())
                        .close()));
  }
}
