// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class BodySpoolTest {

  private static List<Path> files() throws Exception {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(f -> String.valueOf(f.getFileName()).startsWith("retrysafe-body"))
          .toList();
    }
  }

  @Test
  void aBodyIsTheSameInMemoryAndInAFile() throws Exception {
    for (int size : new int[] {0, 1, 99, 100, 101, 20_000, 50_000}) {
      byte[] bytes = new byte[size];
      new Random(size).nextBytes(bytes);
      try (BodySpool spool = BodySpool.create(100, 50_000)) {
        assertThat(spool.readFrom(new ByteArrayInputStream(bytes))).isTrue();
        try (RequestBody body = spool.body()) {
          assertThat(files()).as("files for %d bytes", size).hasSize(size > 100 ? 1 : 0);
          assertThat(body.size()).isEqualTo(size);
          assertThat(body.sha256()).isEqualTo(RequestBody.of(Bytes.copyOf(bytes)).sha256());
          for (int i = 0; i < 2; i++) {
            try (InputStream in = body.open()) {
              assertThat(in.readAllBytes()).isEqualTo(bytes);
            }
          }
        }
      }
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void aBodyThatIsTooLargeLeavesNoFileBehind() throws Exception {
    try (BodySpool spool = BodySpool.create(10, 100)) {
      assertThat(spool.readFrom(new ByteArrayInputStream(new byte[101]))).isFalse();
    }
    try (BodySpool spool = BodySpool.create(10, 100)) {
      assertThat(spool.write(new byte[50], 0, 50)).isTrue();
      assertThat(files()).hasSize(1);
    }
    assertThat(files()).isEmpty();
  }
}
