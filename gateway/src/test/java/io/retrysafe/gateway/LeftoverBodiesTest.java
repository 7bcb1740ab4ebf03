// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies that a killed gateway left on disk. */
class LeftoverBodiesTest extends GatewayTests {
  private final Path folder;

  LeftoverBodiesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private GatewayProcess launch(Upstream upstream, String store) throws IOException {
    return started(
        GatewayProcess.launch(upstream, folder.resolve(store), "-Djava.io.tmpdir=" + folder));
  }

  private List<Path> bodies() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> String.valueOf(file.getFileName()).startsWith("retrysafe-body"))
          .toList();
    }
  }

  @Test
  void areRemovedAtTheNextStartUnlessTheirGatewayLives() throws Exception {
    Upstream upstream = started(Upstream.charging());
    GatewayProcess first = launch(upstream, "first.db");
    Wire wire = started(new Wire(first.port()));
    wire.send(
            "POST /payments HTTP/1.1\r\nHost: test\r\nIdempotency-Key: "
                + key
                + "\r\nContent-Length: 4000000\r\n\r\n")
        .send(new byte[3_000_000]);
    until(() -> bodies().size() == 1);
    Path body = bodies().get(0);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(body)))
        .isEqualTo("rw-------");

    GatewayProcess second = launch(upstream, "second.db");
    assertThat(bodies()).as("the first gateway lives").containsExactly(body);
    first.close();
    second.close();
    assertThat(bodies()).as("nobody could remove it").containsExactly(body);

    launch(upstream, "third.db");
    assertThat(bodies()).isEmpty();
  }
}
