// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Temporary files in a folder to which other users can write. */
final class SpoolFilesTest {
  private final Path folder;
  private final String dead = UUID.randomUUID().toString();

  SpoolFilesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Path file(String name) throws IOException {
    return Files.createFile(folder.resolve(name));
  }

  @Test
  void aLockWithAPatternForANameRemovesNothingOfOthers() throws IOException {
    Path living = file("retrysafe-body-" + UUID.randomUUID() + "-1");
    file("retrysafe-spool-*.lock");
    file("retrysafe-spool-{" + "a".repeat(35) + ".lock");

    SpoolFiles.removeLeftovers(folder);

    assertThat(living).exists();
  }

  @Test
  void aLockThatCannotBeOpenedKeepsNothingElseThere() throws IOException {
    for (int i = 0; i < 10; i++) {
      Files.createDirectory(folder.resolve("retrysafe-spool-" + UUID.randomUUID() + ".lock"));
    }
    Path lock = file("retrysafe-spool-" + dead + ".lock");
    Path left = file("retrysafe-body-" + dead + "-1");

    SpoolFiles.removeLeftovers(folder);

    assertThat(left).doesNotExist();
    assertThat(lock).doesNotExist();
  }
}
