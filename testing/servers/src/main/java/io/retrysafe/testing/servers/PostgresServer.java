// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL server of its own on a loopback port, with full durability: {@code fsync} and {@code
 * synchronous_commit} are on. The user is {@code postgres}, the database too, without a password.
 *
 * <p>PostgreSQL refuses to run as root. There it is started in a user namespace ({@code unshare
 * -U}), or where that is forbidden as the user nobody ({@code setpriv}).
 */
public final class PostgresServer implements AutoCloseable {
  private static final String NOBODY = "65534";

  private final Path folder;
  private final int port;
  private final List<String> as;
  private final Map<String, String> settings;
  private ServerProcess process;

  private PostgresServer(Map<String, String> settings) {
    this.settings = settings;
    this.folder = Folders.create("postgresql");
    this.port = ServerProcess.freePort();
    this.as = initialize();
    this.process = launch();
  }

  private PostgresServer(PostgresServer primary) {
    this.settings = new LinkedHashMap<>(primary.settings);
    settings.put("primary_conninfo", "host=127.0.0.1 user=postgres port=" + primary.port);
    this.folder = Folders.create("postgresql");
    this.port = ServerProcess.freePort();
    this.as = primary.as;
    primary.process.stop();
    ServerProcess.run(
        List.of("cp", "-a", primary.folder + "/.", folder.toString()), primary.log(), null);
    primary.restart();
    try {
      Files.createFile(folder.resolve("data/standby.signal"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.process = launch();
  }

  /** Starts a server with the default settings. */
  public static PostgresServer start() {
    return start(Map.of());
  }

  /** Starts a server with some settings of {@code postgresql.conf} changed. */
  public static PostgresServer start(Map<String, String> settings) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("fsync", "on");
    all.put("synchronous_commit", "on");
    all.put("full_page_writes", "on");
    all.put("max_connections", "200");
    all.putAll(settings);
    return new PostgresServer(all);
  }

  /**
   * Starts a streaming standby of {@code primary}, which is restarted for that: nobody may be
   * connected to it yet. The standby becomes a primary with {@code SELECT pg_promote()}.
   */
  public static PostgresServer standby(PostgresServer primary) {
    return new PostgresServer(primary);
  }

  public int port() {
    return port;
  }

  /** Returns the JDBC address of the server's only database, user included. */
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }

  /** Returns the process id of the server's first process. */
  public long pid() {
    return process.pid();
  }

  /** Ends the server at once, as {@code kill -9} of all its processes does. */
  public void kill() {
    process.kill();
  }

  /**
   * Stops all of the server's processes ({@code SIGSTOP}): connections stay and nothing answers.
   */
  public void stall() {
    process.signal("STOP");
  }

  /** Lets the server go on after {@link #stall()}. */
  public void resume() {
    process.signal("CONT");
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

  private List<String> initialize() {
    List<String> init =
        List.of(
            Programs.postgres().resolve("bin/initdb").toString(),
            "-D",
            data(),
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync");
    if (!"root".equals(System.getProperty("user.name"))) {
      ServerProcess.run(init, log(), null);
      return List.of();
    }
    List<String> namespace = List.of("unshare", "-U");
    try {
      ServerProcess.run(command(namespace, init), log(), null);
      return namespace;
    } catch (IllegalStateException forbidden) {
      List<String> nobody =
          List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
      ServerProcess.run(List.of("chown", NOBODY + ":" + NOBODY, folder.toString()), log(), null);
      try {
        ServerProcess.run(command(nobody, init), log(), null);
      } catch (IllegalStateException e) {
        e.addSuppressed(forbidden);
        throw e;
      }
      return nobody;
    }
  }

  private ServerProcess launch() {
    try {
      // Left behind by a kill; its process is gone, but its number may be another's by now.
      Files.deleteIfExists(folder.resolve("data/postmaster.pid"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> start =
        new ArrayList<>(
            List.of(
                Programs.postgres().resolve("bin/postgres").toString(),
                "-D",
                data(),
                "-p",
                Integer.toString(port),
                "-h",
                "127.0.0.1",
                "-k",
                ""));
    settings.forEach((name, value) -> start.addAll(List.of("-c", name + "=" + value)));
    return ServerProcess.start(command(as, start), log(), this::isReady);
  }

  /** Says hello as a client does: a server that is still recovering answers with an error. */
  private boolean isReady() {
    byte[] user = "user\0postgres\0\0".getBytes(StandardCharsets.US_ASCII);
    byte[] hello =
        ByteBuffer.allocate(8 + user.length)
            .putInt(8 + user.length)
            .putInt(3 << 16)
            .put(user)
            .array();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(1000);
      socket.getOutputStream().write(hello);
      return socket.getInputStream().read() == 'R';
    } catch (IOException e) {
      return false;
    }
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  private Path log() {
    return folder.resolve("log");
  }

  private static List<String> command(List<String> as, List<String> rest) {
    List<String> all = new ArrayList<>(as);
    all.addAll(rest);
    return all;
  }
}
