// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that takes no bodies: a gateway in a process of its own whose temporary folder is gone.
 */
class FullDiskTest extends GatewayTests {
  private static final byte[] LARGE = new byte[8 * 1024 * 1024];

  private final Path folder;

  FullDiskTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Wire large(GatewayProcess gateway) throws IOException {
    String head =
        "POST /payments HTTP/1.1\r\nHost: test\r\nIdempotency-Key: "
            + key
            + "\r\nContent-Length: "
            + LARGE.length
            + "\r\n\r\n";
    return started(new Wire(gateway.port())).send(head).send(LARGE);
  }

  private static void remove(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(folder)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.delete(each);
    }
  }

  @Test
  void aBodyThatFindsNoRoomOnDiskIsRefusedAndClaimsNothing() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Path spool = Files.createDirectory(folder.resolve("spool"));
    GatewayProcess gateway =
        started(
            GatewayProcess.launch(
                upstream, folder.resolve("store.db"), "-Djava.io.tmpdir=" + spool));
    remove(spool);

    Wire wire = large(gateway);
    Wire.Reply refused = wire.read();

    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.problem()).isEqualTo("store-unavailable");
    assertThat(refused.text()).contains("no room for the body", "\"work_ran\":false");
    assertThat(refused.header("Retry-After")).isPresent();
    assertThat(refused.header("Connection")).contains("close");
    assertThat(wire.isClosed()).isTrue();
    assertThat(upstream.asked()).isEmpty();
    assertThat(Wire.call(gateway.port(), Wire.post("/payments", key + "small")).status())
        .as("what needs no disk")
        .isEqualTo(201);

    Files.createDirectory(spool);
    assertThat(large(gateway).read().text()).isEqualTo("charge 2");
    try (Stream<Path> left = Files.list(spool)) {
      assertThat(left).isEmpty();
    }
  }
}
