// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The first handler of a new connection. It closes the connection if no request arrives in time,
 * and replaces the decoder of Vert.x by the strict one before any byte is decoded.
 *
 * <p>On a plain connection Vert.x first checks for the HTTP/2 preface. It then adds its decoder and
 * hands these bytes over at once. This handler therefore passes the bytes on one at a time until
 * the decoder exists; the strict decoder inherits the few bytes that it holds.
 */
public final class FirstBytes extends ChannelInboundHandlerAdapter {
  private static final String DECODER = "httpDecoder";
  private static final int PREFACE = 24;
  private static final AttributeKey<Future<?>> DEADLINE =
      AttributeKey.valueOf("retrysafe.deadline");

  private final HttpServerOptions options;
  private final Duration within;
  private int passed;

  FirstBytes(HttpServerOptions options, Duration within) {
    this.options = options;
    this.within = within;
  }

  /** Notes that a connection has sent a request or finished its handshake. */
  public static void arrived(HttpConnection connection, HttpServerOptions options) {
    if (!(connection instanceof ConnectionBase base)) {
      return;
    }
    Future<?> deadline = base.channel().attr(DEADLINE).getAndSet(null);
    if (deadline != null) {
      deadline.cancel(false);
    }
    replaceDecoder(base.channel().pipeline(), options);
  }

  private static boolean replaceDecoder(ChannelPipeline pipeline, HttpServerOptions options) {
    @Nullable ChannelHandler decoder = pipeline.get(DECODER);
    if (decoder != null && !(decoder instanceof StrictDecoder)) {
      pipeline.replace(DECODER, DECODER, new StrictDecoder(options));
    }
    return decoder != null;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    Channel channel = ctx.channel();
    Runnable tooLate =
        () -> {
          ChannelFuture unused = channel.close();
        };
    channel
        .attr(DEADLINE)
        .set(channel.eventLoop().schedule(tooLate, within.toMillis(), TimeUnit.MILLISECONDS));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ChannelPipeline pipeline = ctx.pipeline();
    boolean isEncrypted = options.isSsl();
    if (!(message instanceof ByteBuf bytes) || isEncrypted) {
      pipeline.remove(this);
      ctx.fireChannelRead(message);
      return;
    }
    boolean isReplaced = false;
    while (!isReplaced && passed < PREFACE && bytes.isReadable()) {
      ctx.fireChannelRead(bytes.readRetainedSlice(1));
      passed++;
      isReplaced = replaceDecoder(pipeline, options);
    }
    if (isReplaced || passed == PREFACE) {
      pipeline.remove(this);
    }
    if (bytes.isReadable()) {
      ctx.fireChannelRead(bytes);
    } else {
      bytes.release();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    Future<?> deadline = ctx.channel().attr(DEADLINE).getAndSet(null);
    if (deadline != null) {
      deadline.cancel(false);
    }
    ctx.fireChannelInactive();
  }
}
