// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import org.junit.jupiter.api.Test;

class BuffersTest {

  @Test
  void aViewThatCannotGrowIsJoinedWithWhatFollows() {
    byte[] read = {1, 2, 3, 4, 5};
    Buffer view = BufferInternal.buffer(Unpooled.wrappedBuffer(read).slice(1, 2));

    Buffer joined = Buffers.joined(Buffers.joined(view, Buffer.buffer("ab")), Buffer.buffer("c"));

    assertThat(joined.getBytes()).containsExactly(2, 3, 'a', 'b', 'c');
    assertThat(read).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void aBufferThatCanGrowIsNotCopied() {
    Buffer first = Buffer.buffer("a");

    assertThat(Buffers.joined(first, Buffer.buffer("b"))).isSameAs(first);
    assertThat(first).hasToString("ab");
  }
}
