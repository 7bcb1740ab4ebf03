// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A program that this one started; it ends with this one at the latest, unless that is killed. */
final class ChildProcess implements AutoCloseable {
  private static final long STOP_SECONDS = 10;
  private static final Set<Process> RUNNING = new LinkedHashSet<>();
  private static boolean isEnding;

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(ChildProcess::endAll, "children-end"));
  }

  private final Process process;

  private ChildProcess(Process process) {
    this.process = process;
  }

  static ChildProcess start(ProcessBuilder builder) throws IOException {
    synchronized (RUNNING) {
      if (isEnding) {
        throw new IllegalStateException("this program is ending and starts no other");
      }
      Process process = builder.start();
      RUNNING.add(process);
      return new ChildProcess(process);
    }
  }

  private static void endAll() {
    List<Process> all;
    synchronized (RUNNING) {
      isEnding = true;
      all = List.copyOf(RUNNING);
    }
    all.forEach(Process::destroy);
    all.forEach(ChildProcess::end);
  }

  private static void end(Process process) {
    process.destroy();
    try {
      if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  InputStream output() {
    return process.getInputStream();
  }

  /** Waits for its end and returns whether it was a good one. */
  boolean succeeds(long seconds) throws InterruptedException {
    return process.waitFor(seconds, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  /** Returns which process it is and whether it still runs. */
  @Override
  public String toString() {
    return "process %d, %s"
        .formatted(process.pid(), isAlive() ? "running" : "ended with code " + process.exitValue());
  }

  /** Ends it, by force if it does not within {@value #STOP_SECONDS} s. */
  @Override
  public void close() {
    end(process);
    synchronized (RUNNING) {
      RUNNING.remove(process);
    }
  }
}
