// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class EndOfTurnTest {
  private final EmbeddedChannel one = new EmbeddedChannel(new EndOfTurn());
  private final EmbeddedChannel other = new EmbeddedChannel(new EndOfTurn());

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
  }

  private static void write(EmbeddedChannel channel, String text) {
    // As handlers do, which do not run the tasks of their loop.
    channel.pipeline().lastContext().write(bytes(text));
    channel.pipeline().lastContext().flush();
  }

  private static String sent(EmbeddedChannel channel) {
    StringBuilder sent = new StringBuilder();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      sent.append(part.toString(StandardCharsets.US_ASCII));
      part.release();
    }
    return sent.toString();
  }

  @Test
  void whatATurnWroteIsSentAtItsEnd() {
    write(one, "a");
    write(other, "b");
    write(one, "c");
    assertThat(sent(one)).isEmpty();
    assertThat(sent(other)).isEmpty();
    one.runPendingTasks();
    assertThat(sent(one)).isEqualTo("ac");
    assertThat(sent(other)).isEqualTo("b");
    write(one, "d");
    one.runPendingTasks();
    assertThat(sent(one)).isEqualTo("d");
  }

  @Test
  void whatASendLeadsToIsSentToo() {
    EmbeddedChannel narrow = new EmbeddedChannel(new EndOfTurn());
    narrow.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 8));
    narrow
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                if (ctx.channel().isWritable()) {
                  write(one, "more");
                }
              }
            });
    write(one, "a");
    write(narrow, "too much of it");
    one.runPendingTasks();
    narrow.runPendingTasks();
    assertThat(sent(one)).isEqualTo("amore");
  }

  @Test
  void whatWasWrittenIsSentBeforeAConnectionIsClosed() {
    write(one, "last words");
    one.pipeline().close();
    assertThat(sent(one)).isEqualTo("last words");
  }

  @Test
  void moreThanAConnectionShouldHoldDoesNotWait() {
    one.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 8));
    write(one, "12345678901234567890");
    write(one, "12345678901234567890");
    assertThat(sent(one)).isNotEmpty();
  }
}
