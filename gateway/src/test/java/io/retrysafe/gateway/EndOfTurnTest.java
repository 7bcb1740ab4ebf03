// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

final class EndOfTurnTest {
  private final Wired one = new Wired();
  private final Wired other = new Wired();

  /**
   * A connection that notes what reaches its socket: texts, ! where they are sent, x at its end.
   */
  private static final class Wired extends ChannelOutboundHandlerAdapter {
    final StringBuilder done = new StringBuilder();
    final EmbeddedChannel channel = new EmbeddedChannel(new EndOfTurn());
    Runnable whenSent = () -> {};

    Wired() {
      channel.pipeline().addFirst(this);
    }

    void say(String text) {
      ChannelFuture unused = channel.pipeline().writeAndFlush(text);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object text, ChannelPromise promise) {
      done.append(text);
      promise.setSuccess();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
      done.append('!');
      whenSent.run();
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
      done.append('x');
    }
  }

  private void endTurn() {
    one.channel.runPendingTasks();
  }

  @Test
  void whatATurnWroteIsSentAtItsEnd() {
    one.say("a");
    other.say("b");
    one.say("c");
    assertThat(one.done.toString()).isEqualTo("ac");
    assertThat(other.done.toString()).isEqualTo("b");
    endTurn();
    assertThat(one.done.toString()).isEqualTo("ac!");
    assertThat(other.done.toString()).isEqualTo("b!");
    one.say("d");
    endTurn();
    assertThat(one.done.toString()).isEqualTo("ac!d!");
  }

  @Test
  void whatASendLeadsToIsSentToo() {
    one.say("a");
    other.say("b");
    other.whenSent = () -> one.say("c");
    endTurn();
    assertThat(one.done.toString()).isEqualTo("a!c!");
    one.say("d");
    endTurn();
    assertThat(one.done.toString()).isEqualTo("a!c!d!");
  }

  @Test
  void whatWasWrittenIsSentBeforeAConnectionIsClosed() {
    one.say("last words");
    ChannelFuture unused = one.channel.pipeline().close();
    assertThat(one.done.toString()).isEqualTo("last words!x");
    endTurn();
  }

  @Test
  void moreThanAConnectionShouldHoldDoesNotWait() {
    one.say("much");
    one.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    one.channel.pipeline().fireChannelWritabilityChanged();
    assertThat(one.done.toString()).isEqualTo("much!");
    endTurn();
    assertThat(one.done.toString()).isEqualTo("much!");
  }
}
