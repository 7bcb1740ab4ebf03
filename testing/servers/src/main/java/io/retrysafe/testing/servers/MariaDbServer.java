// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A MariaDB server of its own on a loopback port, with full durability. The user is {@code root},
 * the database {@code test}, without a password.
 */
public final class MariaDbServer implements AutoCloseable {
  private final Path folder;
  private final int port;
  private ServerProcess process;

  private MariaDbServer() {
    this.folder = Folders.create("mariadb");
    this.port = ServerProcess.freePort();
    initialize();
    this.process = launch();
  }

  /** Starts a server. */
  public static MariaDbServer start() {
    return new MariaDbServer();
  }

  public int port() {
    return port;
  }

  /** Returns the JDBC address of the database {@code test}, user included. */
  public String url() {
    return "jdbc:mariadb://127.0.0.1:" + port + "/test?user=root";
  }

  /** Ends the server at once, as {@code kill -9} does. */
  public void kill() {
    process.kill();
  }

  /** Starts the server again on its port and files after {@link #kill()}. */
  public void restart() {
    process = launch();
  }

  /** Ends the server and deletes its files. */
  @Override
  public void close() {
    process.kill();
    Folders.delete(folder);
  }

  private void initialize() {
    String system =
        Programs.text(
            Programs.mariaDb().resolve("share"),
            List.of(
                "mariadb_system_tables.sql",
                "mariadb_performance_tables.sql",
                "mariadb_system_tables_data.sql"));
    Path input = folder.resolve("bootstrap.sql");
    try {
      Files.createDirectories(folder.resolve("data"));
      Files.writeString(
          input,
          "CREATE DATABASE mysql;\nCREATE DATABASE test;\nUSE mysql;\n"
              + "SET @auth_root_socket=NULL;\n"
              + system);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command = command();
    command.add("--bootstrap");
    ServerProcess.run(command, folder.resolve("log"), input);
  }

  private ServerProcess launch() {
    List<String> command = command();
    command.addAll(
        List.of(
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=" + folder.resolve("s"),
            "--pid-file=" + folder.resolve("pid"),
            "--innodb-flush-log-at-trx-commit=1",
            "--sync-binlog=1"));
    return ServerProcess.start(command, folder.resolve("log"), () -> ServerProcess.isOpen(port));
  }

  private List<String> command() {
    Path programs = Programs.mariaDb();
    List<String> command =
        new ArrayList<>(
            List.of(
                programs.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + programs,
                "--lc-messages-dir=" + programs.resolve("share"),
                "--datadir=" + folder.resolve("data"),
                "--tmpdir=" + folder,
                "--character-set-server=utf8mb4"));
    if ("root".equals(System.getProperty("user.name"))) {
      command.add("--user=root");
    }
    return command;
  }
}
