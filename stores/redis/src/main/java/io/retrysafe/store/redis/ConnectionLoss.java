// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.List;

/**
 * Fails the commands that wait for an answer as soon as their connection is lost, before Lettuce
 * queues them for the next one: they may have run.
 */
@Sharable
final class ConnectionLoss extends ChannelInboundHandlerAdapter implements NettyCustomizer {

  @Override
  public void afterChannelInitialized(Channel channel) {
    channel.pipeline().addFirst(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    try {
      CommandHandler handler = context.pipeline().get(CommandHandler.class);
      if (handler != null) {
        List.copyOf(handler.getStack()).forEach(ConnectionLoss::fail);
      }
    } finally {
      context.fireChannelInactive();
    }
  }

  private static void fail(RedisCommand<?, ?, ?> command) {
    if (CommandWrapper.unwrap(command, AtMostOnceCommand.class) != null) {
      command.completeExceptionally(
          new RedisException("the connection was lost before the answer came"));
    }
  }
}
