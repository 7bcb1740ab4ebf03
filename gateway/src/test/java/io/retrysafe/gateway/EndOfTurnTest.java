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
    channel.pipeline().writeAndFlush(bytes(text));
  }

  /** Runs {@code work} as a turn of the loop; what it leaves to be done comes after it. */
  private void turn(Runnable work) {
    one.eventLoop().execute(work);
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
    StringBuilder during = new StringBuilder();
    turn(
        () -> {
          write(one, "a");
          write(other, "b");
          write(one, "c");
          during.append(sent(one)).append(sent(other));
        });
    assertThat(during).isEmpty();
    assertThat(sent(one)).isEqualTo("ac");
    assertThat(sent(other)).isEqualTo("b");
    turn(() -> write(one, "d"));
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
    turn(
        () -> {
          write(one, "a");
          write(narrow, "1234");
          narrow.pipeline().write(bytes("too much of it"));
        });
    assertThat(sent(one)).isEqualTo("amore");
  }

  @Test
  void whatWasWrittenIsSentBeforeAConnectionIsClosed() {
    turn(
        () -> {
          write(one, "last words");
          one.pipeline().close();
        });
    assertThat(sent(one)).isEqualTo("last words");
  }

  @Test
  void moreThanAConnectionShouldHoldDoesNotWait() {
    one.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 8));
    StringBuilder during = new StringBuilder();
    turn(
        () -> {
          write(one, "1234");
          one.pipeline().write(bytes("56789"));
          during.append(sent(one));
        });
    assertThat(during.toString()).isEqualTo("123456789");
  }
}
