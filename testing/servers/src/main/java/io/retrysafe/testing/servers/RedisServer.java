// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A Redis 7 server of its own on a loopback port. It writes every command to its append-only file
 * before it answers, unless the settings say otherwise, and never evicts.
 */
public final class RedisServer implements AutoCloseable {
  private final Path folder;
  private final int port;
  private final Map<String, String> settings;
  private ServerProcess process;

  private RedisServer(Map<String, String> settings) {
    this.settings = settings;
    this.folder = Folders.create("redis");
    this.port = ServerProcess.freePort();
    this.process = launch();
  }

  /** When a server's append-only file is flushed. */
  public enum Aof {
    /** There is none: a restart forgets everything. */
    OFF,
    /** Once a second. */
    EVERYSEC,
    /** Before a command is answered. */
    ALWAYS;

    private Map<String, String> settings() {
      return this == OFF
          ? Map.of("appendonly", "no")
          : Map.of("appendonly", "yes", "appendfsync", this == ALWAYS ? "always" : "everysec");
    }
  }

  /** Starts a server that flushes before it answers. */
  public static RedisServer start() {
    return start(Aof.ALWAYS);
  }

  public static RedisServer start(Aof aof) {
    return start(aof, Map.of());
  }

  /** Starts a server with some settings of {@code redis.conf} changed. */
  public static RedisServer start(Aof aof, Map<String, String> settings) {
    Map<String, String> all = new LinkedHashMap<>(aof.settings());
    all.put("save", "");
    all.put("maxmemory-policy", "noeviction");
    all.putAll(settings);
    return new RedisServer(all);
  }

  /** Starts a server that follows the one at {@code primaryPort}, and waits until it caught up. */
  public static RedisServer replica(int primaryPort) {
    RedisServer replica =
        start(
            Aof.OFF,
            Map.of("replicaof", "127.0.0.1 " + primaryPort, "repl-diskless-sync-delay", "0"));
    ServerProcess.await(() -> replica.tell("INFO", "replication").contains("link_status:up"));
    return replica;
  }

  /**
   * Waits until {@code replica} has everything that this server has at the moment. ({@code WAIT}
   * only looks at what its own connection wrote.)
   */
  public void awaitCopyOn(RedisServer replica) {
    long written = offset("master_repl_offset");
    ServerProcess.await(() -> replica.offset("slave_repl_offset") >= written);
  }

  private long offset(String name) {
    return tell("INFO", "replication")
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1).strip()))
        .findFirst()
        .orElse(-1);
  }

  public int port() {
    return port;
  }

  /** Returns the server's address. */
  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** Returns the port for other nodes of its cluster. */
  String busPort() {
    return settings.getOrDefault("cluster-port", "0");
  }

  /** Sends one command and returns its answer as text, elements of lists in lines. */
  public String tell(String... command) {
    try {
      return RedisWire.tell(port, command);
    } catch (IOException e) {
      throw new IllegalStateException("Redis on port " + port + " did not answer", e);
    }
  }

  /** Ends the server at once, as {@code kill -9} does. */
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

  private ServerProcess launch() {
    List<String> start =
        new ArrayList<>(
            List.of(
                Programs.redis().resolve("redis-server").toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                folder.toString(),
                "--loglevel",
                "warning"));
    settings.forEach(
        (name, value) -> {
          start.add("--" + name);
          // Redis takes settings with several values as several words.
          start.addAll(value.isEmpty() ? List.of("") : List.of(value.split(" ")));
        });
    return ServerProcess.start(start, folder.resolve("log"), this::isReady);
  }

  /** A server that still reads its files answers with an error. */
  private boolean isReady() {
    try {
      return RedisWire.tell(port, "PING").equals("PONG");
    } catch (IOException e) {
      return false;
    }
  }
}
