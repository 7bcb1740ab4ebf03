// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.store.History;
import io.retrysafe.store.Resolvable.Word;
import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import io.retrysafe.testing.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Timeline, counts and audit are there after a restart, and show both replicas. */
final class HistoryTest {
  private static final OperationKey KEY = OperationKey.of(Scope.of("merchant_7", "pay"), "o-1");

  @Test
  void inAFile(@TempDir Path folder) {
    isKept("sqlite:" + folder.resolve("store.db"));
  }

  @Test
  void inPostgres() {
    try (PostgresServer server = PostgresServer.start()) {
      isKept(server.url());
    }
  }

  @Test
  void inMariaDb() {
    try (MariaDbServer server = MariaDbServer.start()) {
      isKept(server.url());
    }
  }

  @Test
  void inRedis() {
    try (RedisServer server = RedisServer.start()) {
      isKept(server.url());
    }
  }

  private static void isKept(String url) {
    run(url, "gw-1", 1);
    try (OpenStore one = open(url);
        OpenStore two = open(url)) {
      run(one, "gw-1", 2);
      run(two, "gw-2", 3);
    }
    try (OpenStore open = open(url);
        Retrysafe engine = Retrysafe.create(open.store())) {
      History history = (History) open.store();
      assertThat(history.history(KEY))
          .extracting(History.Event::kind, History.Event::by, History.Event::count)
          .containsExactly(
              tuple("claimed", "gw-1", 1),
              tuple("completed", "gw-1", 1),
              tuple("replayed", "gw-1", 2),
              tuple("replayed", "gw-2", 3));
      engine.resolve(open.store().find(KEY).orElseThrow(), new Word.Forget(), "alice", "test");
    }
    try (OpenStore open = open(url)) {
      assertThat(((History) open.store()).audit(Instant.now().plusSeconds(60), 10))
          .extracting(History.Event::key, History.Event::detail)
          .containsExactly(tuple(KEY, "Forget by alice: test"));
    }
  }

  private static OpenStore open(String url) {
    return OpenStore.builder(url).applySchema(true).timeout(Duration.ofSeconds(10)).build();
  }

  private static void run(String url, String name, int times) {
    try (OpenStore open = open(url)) {
      run(open, name, times);
    }
  }

  /** Closing an engine writes what its history has not got yet. */
  private static void run(OpenStore open, String name, int times) {
    try (Retrysafe engine =
        Retrysafe.builder(open.store()).name(name).storeDeadline(Duration.ofSeconds(10)).build()) {
      for (int i = 0; i < times; i++) {
        engine.run(KEY, Fingerprint.NONE, Codec.string(), operation -> "receipt");
      }
    }
  }
}
