// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.store.AuditNote;
import io.retrysafe.store.AuditRecord;
import io.retrysafe.store.AuditRecord.Result;
import io.retrysafe.store.History;
import io.retrysafe.store.Resolution;
import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import io.retrysafe.testing.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Timeline, counts and audit are there after a restart, and show both replicas. */
final class HistoryTest {
  private static final OperationKey KEY = OperationKey.of(Scope.of("merchant_7", "pay"), "o-1");
  private static final OperationKey OTHER = OperationKey.of(Scope.of("merchant_7", "pay"), "o-2");

  @Test
  void inAFile(@TempDir Path folder) {
    isKept("sqlite:" + folder.resolve("store.db"), () -> {});
  }

  @Test
  void inPostgres() {
    try (PostgresServer server = PostgresServer.start()) {
      isKept(
          server.url(),
          () -> {
            server.kill();
            server.restart();
          });
    }
  }

  @Test
  void inMariaDb() {
    try (MariaDbServer server = MariaDbServer.start()) {
      isKept(
          server.url(),
          () -> {
            server.kill();
            server.restart();
          });
    }
  }

  @Test
  void inRedis() {
    try (RedisServer server = RedisServer.start(RedisServer.Aof.ALWAYS)) {
      isKept(
          server.url(),
          () -> {
            server.kill();
            server.restart();
          });
    }
  }

  /** Every process ends and starts again meanwhile; {@code restart} does so to the server. */
  private static void isKept(String url, Runnable restart) {
    try (OpenStore one = open(url);
        OpenStore two = open(url)) {
      run(one, "gw-1", KEY, 1);
      run(one, "gw-1", KEY, 2);
      run(two, "gw-2", KEY, 3);
      run(two, "gw-2", OTHER, 1);
    }
    restart.run();
    try (OpenStore one = open(url);
        OpenStore two = open(url)) {
      for (OpenStore each : List.of(one, two)) {
        assertThat(((History) each.store()).history(KEY))
            .extracting(History.Event::kind, History.Event::by, History.Event::count)
            .containsExactly(
                tuple("claimed", "gw-1", 1),
                tuple("completed", "gw-1", 1),
                tuple("replayed", "gw-1", 2),
                tuple("replayed", "gw-2", 3));
      }
      forget(one, KEY, "alice");
      forget(two, OTHER, "bob");
    }
    restart.run();
    try (OpenStore one = open(url);
        OpenStore two = open(url)) {
      for (OpenStore each : List.of(one, two)) {
        assertThat(((History) each.store()).audit(Instant.now().plusSeconds(60), 10))
            .map(event -> AuditRecord.of(event).orElseThrow())
            .extracting(AuditRecord::key, action -> action.note().actor(), AuditRecord::result)
            .containsExactlyInAnyOrder(
                tuple(OTHER, "bob", Result.REQUESTED),
                tuple(OTHER, "bob", Result.APPLIED),
                tuple(KEY, "alice", Result.REQUESTED),
                tuple(KEY, "alice", Result.APPLIED));
      }
    }
  }

  private static void forget(OpenStore open, OperationKey key, String who) {
    try (Retrysafe engine = Retrysafe.create(open.store())) {
      engine.resolve(
          open.store().find(key).orElseThrow(),
          new Resolution.Forget(),
          new AuditNote(who, "test"));
    }
  }

  private static OpenStore open(String url) {
    return OpenStore.builder(url).applySchema(true).timeout(Duration.ofSeconds(10)).build();
  }

  /** Closing an engine writes what its history has not got yet. */
  private static void run(OpenStore open, String name, OperationKey key, int times) {
    try (Retrysafe engine =
        Retrysafe.builder(open.store()).name(name).storeDeadline(Duration.ofSeconds(10)).build()) {
      for (int i = 0; i < times; i++) {
        engine.run(key, Fingerprint.NONE, Codec.string(), operation -> "receipt");
      }
    }
  }
}
