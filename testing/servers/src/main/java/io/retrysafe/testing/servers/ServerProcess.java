// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A running server program; it ends with this process at the latest. */
final class ServerProcess {
  private static final long START_SECONDS = 180;

  private final Process process;
  private final Thread hook;

  private ServerProcess(Process process) {
    this.process = process;
    this.hook = new Thread(() -> destroy(process), "server-end");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Returns a loopback port that was free a moment ago. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts {@code command} and waits until it is ready. */
  static ServerProcess start(List<String> command, Path log, BooleanSupplier isReady) {
    try {
      ServerProcess server =
          new ServerProcess(
              new ProcessBuilder(command)
                  .redirectErrorStream(true)
                  .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                  .start());
      server.awaitReady(isReady, log);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command.get(0), e);
    }
  }

  /** Runs {@code command} to its end and throws with its output if it fails. */
  static void run(List<String> command, Path log, @Nullable Path input) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
      builder.redirectInput(input == null ? new File("/dev/null") : input.toFile());
      Process process = builder.start();
      if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
        destroy(process);
        throw new IllegalStateException(String.join(" ", command) + " did not end");
      }
      if (process.exitValue() != 0) {
        throw new IllegalStateException(
            String.join(" ", command) + " failed:\n" + Files.readString(log));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Ends the program and everything it started, as {@code kill -9} does. */
  void kill() {
    Runtime.getRuntime().removeShutdownHook(hook);
    destroy(process);
  }

  /** Sends a signal, such as {@code STOP}, to the program and everything it started. */
  void signal(String name) {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name, Long.toString(pid())));
    process.descendants().forEach(each -> command.add(Long.toString(each.pid())));
    try {
      // The exit code says that one of them has ended meanwhile, which does not matter here.
      int unused = new ProcessBuilder(command).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Ends the program in its orderly way, and by force when that takes too long. */
  void stop() {
    Runtime.getRuntime().removeShutdownHook(hook);
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        destroy(process);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      destroy(process);
    }
  }

  private static void destroy(Process process) {
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    all.add(process.toHandle());
    all.forEach(ProcessHandle::destroyForcibly);
    // A new server on the same files must not meet the old one's last processes.
    for (ProcessHandle one : all) {
      one.onExit().orTimeout(10, TimeUnit.SECONDS).exceptionally(e -> one).join();
    }
  }

  /** Returns whether {@code port} accepts connections. */
  static boolean isOpen(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** Waits until something of running servers came true. */
  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("waited in vain for " + START_SECONDS + " s");
      }
      pause();
    }
  }

  private void awaitReady(BooleanSupplier isReady, Path log) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() < end && process.isAlive()) {
      if (isReady.getAsBoolean()) {
        return;
      }
      pause();
    }
    kill();
    throw new IllegalStateException("the server did not start:\n" + Files.readString(log));
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
