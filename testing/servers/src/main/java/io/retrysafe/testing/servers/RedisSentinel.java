// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A Redis Sentinel that watches one primary and promotes a replica on its own word, when it is told
 * that there is reason to.
 *
 * <p>Until then it is patient. On a busy machine a sentinel, or a server, may not run for seconds:
 * one that suspects within a second fails over from primaries that live, and one whose own clock
 * jumped (it calls that "tilt") looks on for half a minute.
 */
public final class RedisSentinel implements AutoCloseable {
  private static final String PRIMARY = "main";
  private static final String PATIENT = "3600000";

  /**
   * Ten times this may pass between a primary's end and the first suspicion: no replica is good
   * enough for the sentinel if it has been alone for longer.
   */
  private static final String SUSPICIOUS = "2000";

  private final Path folder;
  private final int port;
  private final ServerProcess process;

  private RedisSentinel(RedisServer primary) {
    this.folder = Folders.create("sentinel");
    this.port = ServerProcess.freePort();
    Path file = folder.resolve("sentinel.conf");
    try {
      Files.writeString(
          file,
          String.join(
              "\n",
              "port " + port,
              "bind 127.0.0.1",
              "dir " + folder,
              "sentinel monitor " + PRIMARY + " 127.0.0.1 " + primary.port() + " 1",
              "sentinel down-after-milliseconds " + PRIMARY + " " + PATIENT,
              "sentinel failover-timeout " + PRIMARY + " 3000",
              ""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String program = Programs.redis().resolve("redis-server").toString();
    this.process =
        ServerProcess.start(
            List.of(program, file.toString(), "--sentinel"),
            folder.resolve("log"),
            () -> ServerProcess.isOpen(port));
  }

  /** Starts a sentinel for {@code primary}; it finds the replicas by asking. */
  public static RedisSentinel start(RedisServer primary) {
    RedisSentinel sentinel = new RedisSentinel(primary);
    ServerProcess.await(() -> sentinel.tell("SENTINEL", "MASTER", PRIMARY).contains("flags"));
    sentinel.tell("SENTINEL", "DEBUG", "tilt-trigger", PATIENT);
    return sentinel;
  }

  /**
   * Has the sentinel notice that the primary was killed, and waits until {@code replica} is the
   * primary.
   */
  public void promotes(RedisServer replica) {
    tell("SENTINEL", "SET", PRIMARY, "down-after-milliseconds", SUSPICIOUS);
    ServerProcess.await(
        () -> primaryPort() == replica.port() && replica.tell("ROLE").startsWith("master"));
    tell("SENTINEL", "SET", PRIMARY, "down-after-milliseconds", PATIENT);
  }

  /**
   * Has the sentinel name another primary, which was promoted already. Clients of the old one keep
   * their connections: nobody tells them.
   */
  public void names(RedisServer primary) {
    tell("SENTINEL", "REMOVE", PRIMARY);
    tell("SENTINEL", "MONITOR", PRIMARY, "127.0.0.1", Integer.toString(primary.port()), "1");
    tell("SENTINEL", "SET", PRIMARY, "down-after-milliseconds", PATIENT);
    ServerProcess.await(() -> primaryPort() == primary.port());
  }

  /** Returns the address under which clients find the primary of the moment. */
  public String url() {
    return "redis-sentinel://127.0.0.1:" + port + "/0#" + PRIMARY;
  }

  /** Returns whether this many replicas were found. */
  public boolean sees(int replicas) {
    return tell("SENTINEL", "MASTER", PRIMARY).contains("num-slaves\n" + replicas);
  }

  /** Returns the port of the primary of the moment. */
  public int primaryPort() {
    return Integer.parseInt(
        tell("SENTINEL", "GET-MASTER-ADDR-BY-NAME", PRIMARY).replaceAll("(?s).*\n", ""));
  }

  private String tell(String... command) {
    try {
      return RedisWire.tell(port, command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.kill();
    Folders.delete(folder);
  }
}
