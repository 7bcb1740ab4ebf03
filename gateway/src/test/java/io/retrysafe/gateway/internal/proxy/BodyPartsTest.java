// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import org.junit.jupiter.api.Test;

class BodyPartsTest {
  private final BodyParts parts = new BodyParts();

  @Test
  void aViewThatCannotGrowIsJoinedWithWhatFollows() {
    byte[] read = {1, 2, 3, 4, 5};
    parts.add(BufferInternal.buffer(Unpooled.wrappedBuffer(read).slice(1, 2)));
    parts.add(Buffer.buffer("ab"));
    parts.add(Buffer.buffer("c"));

    assertThat(parts.length()).isEqualTo(5);
    assertThat(parts.take().getBytes()).containsExactly(2, 3, 'a', 'b', 'c');
    assertThat(parts.isEmpty()).isTrue();
    assertThat(read).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void aPartThatStaysAloneIsNotCopied() {
    Buffer only = Buffer.buffer("a");
    parts.add(only);

    assertThat(parts.take()).isSameAs(only);
  }

  @Test
  void afterTheyWereTakenPartsAreGatheredAnew() {
    parts.add(Buffer.buffer("a"));
    parts.add(Buffer.buffer("b"));
    Buffer first = parts.take();
    parts.add(Buffer.buffer("c"));

    assertThat(first).hasToString("ab");
    assertThat(parts.take()).hasToString("c");
  }
}
