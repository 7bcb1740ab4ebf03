// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChildProcessTest {
  private static final ProcessBuilder LONG = new ProcessBuilder("sleep", "120");

  @Test
  void aClosedChildHasEnded() throws Exception {
    ChildProcess child = ChildProcess.start(LONG);
    assertThat(child.isAlive()).isTrue();
    child.close();
    assertThat(child.isAlive()).isFalse();
  }

  @Test
  void aChildDoesNotOutliveAParentThatForgetsIt() throws Exception {
    Process parent = parent("forget");
    ProcessHandle child = child(parent);
    assertThat(parent.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(child.isAlive()).isFalse();
  }

  @Test
  void aChildDoesNotOutliveAParentThatIsToldToStop() throws Exception {
    Process parent = parent("wait");
    ProcessHandle child = child(parent);
    assertThat(child.isAlive()).isTrue();
    parent.destroy();
    assertThat(parent.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(child.isAlive()).isFalse();
  }

  private static Process parent(String how) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Parent.class.getName(),
            how)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static ProcessHandle child(Process parent) throws Exception {
    String pid =
        new BufferedReader(new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    Optional<ProcessHandle> child = ProcessHandle.of(Long.parseLong(pid));
    return child.orElseThrow();
  }

  /** Starts a child, says which, and ends at once or when it is told to. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] args) throws Exception {
      ChildProcess.start(LONG);
      System.out.println(ProcessHandle.current().children().findFirst().orElseThrow().pid());
      System.out.flush();
      if (args[0].equals("wait")) {
        Thread.sleep(TimeUnit.MINUTES.toMillis(2));
      }
    }
  }
}
