// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.FastThreadLocal;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends what was written to a connection when its event loop has dealt with everything that had
 * arrived, together with what was written to the others. Whoever is woken by the first of it then
 * finds the rest: sent one by one, each would wake its receiver again, and under load that costs
 * both sides more than the work itself. A loop with nothing else to do sends at once.
 */
final class EndOfTurn extends ChannelDuplexHandler {
  private static final FastThreadLocal<List<EndOfTurn>> WAITING =
      new FastThreadLocal<>() {
        @Override
        protected List<EndOfTurn> initialValue() {
          return new ArrayList<>();
        }
      };

  private @Nullable ChannelHandlerContext context;
  private boolean isWaiting;

  /** Puts one next to the socket of a connection. */
  static void on(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      base.channel().pipeline().addFirst(new EndOfTurn());
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    send();
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    if (isWaiting) {
      return;
    }
    isWaiting = true;
    List<EndOfTurn> waiting = WAITING.get();
    waiting.add(this);
    if (waiting.size() == 1) {
      ctx.executor().execute(EndOfTurn::sendAll);
    }
  }

  private static void sendAll() {
    List<EndOfTurn> waiting = WAITING.get();
    // What a send leads to may be written to a connection that comes later in the list, or anew.
    for (int i = 0; i < waiting.size(); i++) {
      waiting.get(i).send();
    }
    waiting.clear();
  }

  private void send() {
    if (isWaiting && context != null) {
      isWaiting = false;
      context.flush();
    }
  }

  /** More than a connection should hold does not wait. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!ctx.channel().isWritable()) {
      send();
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    send();
    ChannelFuture unused = ctx.close(promise);
  }

  @Override
  public void disconnect(ChannelHandlerContext ctx, ChannelPromise promise) {
    send();
    ChannelFuture unused = ctx.disconnect(promise);
  }
}
