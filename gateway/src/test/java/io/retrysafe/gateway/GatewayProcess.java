// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.store.jdbc.JdbcStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.sqlite.SQLiteDataSource;

/** A gateway on an SQLite file in a process of its own. */
record GatewayProcess(Process process, int port) implements AutoCloseable {
  private static final String PORT = "port ";

  /** Returns when it listens; {@code options} are the virtual machine's. */
  static GatewayProcess launch(Upstream upstream, Path file, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of(options));
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            GatewayProcess.class.getName(),
            upstream.url().toString(),
            file.toString()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    assertThat(line).startsWith(PORT);
    return new GatewayProcess(process, Integer.parseInt(line.substring(PORT.length())));
  }

  /** Kills it with -9; when it returns the process is gone. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  /** Arguments: the upstream, the file. Prints the port when it listens. */
  public static void main(String[] args) throws Exception {
    SQLiteDataSource source = new SQLiteDataSource();
    source.setUrl("jdbc:sqlite:" + args[1]);
    JdbcStore store = JdbcStore.builder(source).applySchema(true).build();
    GatewayConfig.Builder config = GatewayTests.config(URI.create(args[0]));
    config.policy(config.policy().lease(Duration.ofSeconds(2)));
    Gateway gateway = Gateway.start(config.build(), store);
    System.out.println(PORT + gateway.address().getPort());
    new CountDownLatch(1).await();
  }
}
