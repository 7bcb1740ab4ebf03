// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that does not hold bodies: a gateway in a process of its own whose temporary folder is
 * gone, or fails when a file is closed or read.
 */
class FullDiskTest extends GatewayTests {
  private static final byte[] LARGE = new byte[8 * 1024 * 1024];

  private final Path folder;
  private final Path spool;

  FullDiskTest(@TempDir Path folder) {
    this.folder = folder;
    this.spool = folder.resolve("spool");
  }

  /** Starts a gateway and takes its temporary folder away. */
  private GatewayProcess launch(Upstream upstream, String... options) throws IOException {
    Files.createDirectory(spool);
    List<String> all = new ArrayList<>(List.of(options));
    all.add("-Djava.io.tmpdir=" + spool);
    GatewayProcess gateway =
        started(
            GatewayProcess.launch(
                upstream, folder.resolve("store.db"), all.toArray(String[]::new)));
    remove(spool);
    return gateway;
  }

  private Wire large(GatewayProcess gateway) throws IOException {
    return large(started(new Wire(gateway.port())), "application/octet-stream");
  }

  private Wire large(Wire wire, String type) throws IOException {
    String head =
        "POST /payments HTTP/1.1\r\nHost: test\r\nIdempotency-Key: %s\r\nContent-Type: %s\r\n"
            .formatted(key, type);
    return wire.send(head + "Content-Length: " + LARGE.length + "\r\n\r\n").send(LARGE);
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

  private static void assertRefused(Wire.Reply refused) {
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.problem()).isEqualTo("store-unavailable");
    assertThat(refused.text()).contains("cannot store the body", "\"work_ran\":false");
    assertThat(refused.header("Retry-After")).isPresent();
  }

  private void assertNoFileIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(spool)) {
      assertThat(left.map(file -> String.valueOf(file.getFileName())))
          .noneMatch(name -> name.startsWith("retrysafe-body"));
    }
  }

  @Test
  void aBodyThatFindsNoRoomOnDiskIsRefusedAndClaimsNothing() throws Exception {
    Upstream upstream = started(Upstream.charging());
    GatewayProcess gateway = launch(upstream);

    Wire wire = large(gateway);
    Wire.Reply refused = wire.read();

    assertRefused(refused);
    assertThat(refused.header("Connection")).contains("close");
    assertThat(wire.isClosed()).isTrue();
    assertThat(upstream.asked()).isEmpty();
    assertThat(Wire.call(gateway.port(), Wire.post("/payments", key + "small")).status())
        .as("what needs no disk")
        .isEqualTo(201);

    Files.createDirectory(spool);
    assertThat(large(gateway).read().text()).isEqualTo("charge 2");
    assertNoFileIsLeft();
  }

  @Test
  void aBodyWhoseFileCannotBeClosedIsRefusedAndClaimsNothing() throws Exception {
    refusedAndThenTaken(FaultyDisk.FULL, "application/octet-stream");
  }

  @Test
  void aBodyWhoseFileCannotBeReadForTheUpstreamIsRefusedAndItsKeyIsFree() throws Exception {
    refusedAndThenTaken(FaultyDisk.DAMAGED, "application/octet-stream");
  }

  /**
   * Forms are compared without their boundary, so they are read again before the key is claimed.
   */
  @Test
  void aBodyWhoseFileCannotBeReadForTheComparisonIsRefusedAndClaimsNothing() throws Exception {
    refusedAndThenTaken(FaultyDisk.DAMAGED, "multipart/form-data; boundary=x");
  }

  private void refusedAndThenTaken(String fault, String type) throws Exception {
    Upstream upstream = started(Upstream.charging());
    GatewayProcess gateway = launch(upstream, FaultyDisk.OPTION);
    Files.createDirectory(spool);
    Path sign = Files.createFile(spool.resolve(fault));

    Wire wire = started(new Wire(gateway.port()));
    Wire.Reply refused = large(wire, type).read();

    assertRefused(refused);
    assertThat(refused.header("Connection")).as("all was read").isEmpty();
    assertThat(upstream.asked()).isEmpty();
    Files.delete(sign);
    assertNoFileIsLeft();

    assertThat(large(wire, type).read().text()).as("with the same key").isEqualTo("charge 1");
    assertNoFileIsLeft();
  }
}
