// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches one channel to a server.
 *
 * <p><b>Loss.</b> When the channel closes, the commands that wait for a reply fail at once, before
 * Lettuce queues them for the next channel. They may have run.
 *
 * <p><b>Silence.</b> If commands wait for a reply and no byte arrives for one to two time-outs, the
 * guard closes the channel. The operating system would notice a host that vanished only after some
 * 15 minutes, and until then every command would be written to the dead channel.
 */
final class ConnectionGuard extends ChannelInboundHandlerAdapter {
  private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(1);

  private final long silenceNanos;
  private @Nullable Object waitingBefore;
  private @Nullable Future<?> checks;

  private ConnectionGuard(long silenceNanos) {
    this.silenceNanos = silenceNanos;
  }

  /** Returns a customizer that adds a guard to each channel of a client. */
  static NettyCustomizer with(Duration timeout) {
    Duration silence = timeout.compareTo(SHORTEST_SILENCE) > 0 ? timeout : SHORTEST_SILENCE;
    return new NettyCustomizer() {
      @Override
      public void afterChannelInitialized(Channel channel) {
        channel.pipeline().addFirst(new ConnectionGuard(RedisClients.nanos(silence)));
      }
    };
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    checks =
        context
            .executor()
            .scheduleWithFixedDelay(
                () -> closeIfSilent(context), silenceNanos, silenceNanos, TimeUnit.NANOSECONDS);
    context.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    waitingBefore = null;
    context.fireChannelRead(message);
  }

  /** Closes the channel if a command that waited at the last check is still waiting. */
  private void closeIfSilent(ChannelHandlerContext context) {
    @Nullable CommandHandler handler = context.pipeline().get(CommandHandler.class);
    @Nullable Object waiting = handler == null ? null : handler.getStack().peek();
    if (waiting != null && waiting == waitingBefore) {
      ChannelFuture unused = context.close();
    }
    waitingBefore = waiting;
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    try {
      if (checks != null) {
        checks.cancel(false);
      }
      CommandHandler handler = context.pipeline().get(CommandHandler.class);
      if (handler != null) {
        List.copyOf(handler.getStack()).forEach(ConnectionGuard::fail);
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
