// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many callers of large answers in a process with little memory. */
final class RedisLargeAnswersTest {

  /** All answers together would take 80 MiB, as much as one reply that all callers shared. */
  @Test
  void callersOfLargeAnswersDoNotFillTheHeap() throws Exception {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        RedisStore store =
            RedisStore.builder(server.url()).timeout(Duration.ofSeconds(30)).build();
        RedisCopies copies =
            RedisCopies.builder(server.url()).timeout(Duration.ofSeconds(30)).build()) {
      LargeAnswers.prepare(store, copies);
      Process process =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-Xmx64m",
                      "-XX:MaxDirectMemorySize=64m",
                      "-XX:+UseSerialGC",
                      "-cp",
                      System.getProperty("java.class.path"),
                      LargeAnswers.class.getName(),
                      server.url()))
              .redirectErrorStream(true)
              .start();
      try {
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        int all = LargeAnswers.CALLERS;
        assertThat(said).contains("claims " + all + " copies " + all);
      } finally {
        process.destroyForcibly();
      }
    }
  }
}
