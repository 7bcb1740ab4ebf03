// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldersTest {
  @Test
  void onlyFoldersOfProcessesThatAreGoneAreDeleted(@TempDir Path home) throws Exception {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    Path abandoned = Files.createDirectories(home.resolve("redis-" + process.pid() + "-1/data"));
    Files.writeString(abandoned.resolve("dump.rdb"), "");
    Path mine = home.resolve("redis-" + ProcessHandle.current().pid() + "-1");
    Files.createDirectories(mine);
    Path program = Files.createDirectories(home.resolve("postgresql-18"));

    Folders.deleteAbandoned(home);

    assertThat(abandoned.getParent()).doesNotExist();
    assertThat(mine).exists();
    assertThat(program).exists();
  }
}
