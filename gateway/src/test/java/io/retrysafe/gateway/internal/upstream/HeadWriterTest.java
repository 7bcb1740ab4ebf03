// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What heads look like, and what cannot be in them: over HTTP/2 anything might come. */
class HeadWriterTest {
  private final HeadWriter writer = new HeadWriter();

  private String text() {
    return writer.end(UnpooledByteBufAllocator.DEFAULT, 0).toString(StandardCharsets.ISO_8859_1);
  }

  @Test
  void aHeadIsALineForTheRequestAndOneForEachHeader() {
    writer.start("GET", "/a?b=c").add("Host", "h:1").add("X-Name", "caf\u00e9\ta");

    assertThat(text())
        .isEqualTo("GET /a?b=c HTTP/1.1\r\nHost: h:1\r\nX-Name: caf\u00e9\ta\r\n\r\n");
  }

  @Test
  void headsOfAnySizeFollowEachOther() {
    for (int size : new int[] {1, 1000, 100_000, 1, 3000}) {
      String value = "v".repeat(size);
      writer.start("POST", "/" + value).add("X", value);

      assertThat(text()).isEqualTo("POST /" + value + " HTTP/1.1\r\nX: " + value + "\r\n\r\n");
    }
  }

  @Test
  void anUnfinishedHeadIsForgotten() {
    writer.start("GET", "/first").add("X-First", "1");
    writer.start("GET", "/second");

    assertThat(text()).isEqualTo("GET /second HTTP/1.1\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nX-Other: 1", "a\n", "a\r", "\u0000", "\u0007", "\u007f", "\u0100"})
  void valuesThatEndTheirLineAreRefused(String value) {
    writer.start("GET", "/");

    assertThatThrownBy(() -> writer.add("X-Own", value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("X-Own");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a:", "a\r\nb", "a\n", "caf\u00e9", "\u0100", "a(b)"})
  void namesThatAreNoneAreRefused(String name) {
    writer.start("GET", "/");

    assertThatThrownBy(() -> writer.add(name, "a")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> writer.start(name, "/")).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a b", "/a\r\nHost: x", "/\u00e9", "/\u007f", "/\u0100"})
  void targetsThatAreNoneAreRefused(String target) {
    assertThatThrownBy(() -> writer.start("GET", target))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
