// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Near copies in front of a store. */
final class NearTest {
  private static final String SECRET = "0123456789abcdef";

  @Test
  void copiesAreKeptInThisProcess() {
    try (OpenStore open = OpenStore.builder("memory:").near("memory:64MB").build()) {
      assertThat(open.profile().name()).isEqualTo("layered memory");
      assertThat(Samples.isReplayed(open.store(), Samples.settled(open.store()))).isTrue();
    }
  }

  @Test
  void copiesInRedisAreSealedWithTheSecretOfTheEnvironment() throws InterruptedException {
    try (RedisServer server = RedisServer.start(Aof.OFF);
        OpenStore open =
            OpenStore.builder("memory:")
                .near(server.url())
                .environment(name -> name.equals(OpenStore.NEAR_SECRET) ? SECRET : null)
                .build()) {
      OperationKey key = Samples.settled(open.store());
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (!server.tell("KEYS", "*").contains(":near:")) {
        assertThat(System.nanoTime()).as("waited for a copy until").isLessThan(end);
        assertThat(Samples.isReplayed(open.store(), key)).isTrue();
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  @Test
  void copiesThatOthersCanWriteNeedASecret() {
    assertThatThrownBy(
            () ->
                OpenStore.builder("memory:")
                    .near("redis://:s3cret@near.example:6379")
                    .environment(name -> null)
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("near copies in redis://near.example:6379 can be written by others")
        .hasMessageContaining("RETRYSAFE_NEAR_SECRET");
    assertThatThrownBy(
            () ->
                OpenStore.builder("memory:")
                    .near("redis://127.0.0.1:1")
                    .nearSecret("short")
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 16 bytes");
  }

  @Test
  void copiesAreKeptInMemoryOfASizeOrInRedisOnly() {
    for (String wrong : new String[] {"memory:", "memory:64", "memory:0MB", "memory:many"}) {
      assertThatThrownBy(() -> OpenStore.builder("memory:").near(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("such as memory:64MB, was " + wrong);
    }
    assertThatThrownBy(() -> OpenStore.builder("memory:").near("jdbc:postgresql://u:s3cret@db/x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not in jdbc:postgresql://db/x");
  }

  @Test
  void sizesAreCountedInPowersOfTwo() {
    assertThat(Size.bytes("64MB")).isEqualTo(64L << 20);
    assertThat(Size.bytes("8kib")).isEqualTo(8L << 10);
    assertThat(Size.bytes("2GB")).isEqualTo(2L << 30);
  }
}
