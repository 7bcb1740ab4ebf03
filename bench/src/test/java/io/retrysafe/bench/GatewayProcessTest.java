// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With scripts in place of the program. */
class GatewayProcessTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Path folder;

  GatewayProcessTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void forgetTheProgram() {
    System.clearProperty(GatewayProcess.PROGRAM);
  }

  @Test
  void itIsReadyOnceItSaysWhereItTakesRequests() throws Exception {
    program("echo 'requests  http://127.0.0.1:4711'; echo \"$@\" >&2; exec sleep 120");
    try (GatewayProcess gateway = start(LONG)) {
      assertThat(gateway.url()).isEqualTo("http://127.0.0.1:4711");
    }
    assertThat(folder.resolve("memory.err")).hasContent("gateway --store memory:");
  }

  @Test
  void itRunsOnTheSameJava() throws Exception {
    program("echo \"requests  http://$JAVA_HOME\"; exec sleep 120");
    try (GatewayProcess gateway = start(LONG)) {
      assertThat(gateway.url()).isEqualTo("http://" + System.getProperty("java.home"));
    }
  }

  @Test
  void theEndOfWhatItWroteIsShownWhenItDies() throws Exception {
    program("for i in $(seq 100); do echo line $i. >&2; done; exit 3");
    assertThatThrownBy(() -> start(LONG))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the gateway memory (process ")
        .hasMessageContaining("ended with code 3")
        .hasMessageContaining("line 100.")
        .hasMessageNotContaining("line 80.");
  }

  @Test
  void itIsNotWaitedForForEver() throws Exception {
    program("echo $$ > " + folder.resolve("pid") + "; echo still busy >&2; exec sleep 120");
    assertThatThrownBy(() -> start(Duration.ofSeconds(2)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not ready within 2 s")
        .hasMessageContaining("running")
        .hasMessageContaining("still busy");
    long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
  }

  private GatewayProcess start(Duration within) throws Exception {
    return GatewayProcess.start("memory", Map.of("store", "memory:"), folder, within);
  }

  private void program(String body) throws IOException {
    Path script = folder.resolve("program");
    Files.writeString(script, "#!/usr/bin/env bash\n" + body + "\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    System.setProperty(GatewayProcess.PROGRAM, script.toString());
  }
}
