// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpObject;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.internal.net.NetSocketInternal;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an upstream. It carries one request at a time, without pipelining.
 *
 * <p>It becomes free only after everything that was read together with the end of an answer has
 * been checked: surplus bytes must not become the answer to the next request.
 */
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
  /** The name of the last handler, which belongs to Vert.x. */
  private static final String LAST = "handler";

  private final UpstreamPool pool;
  private final HeadWriter writer;
  private final AnswerDecoder decoder = new AnswerDecoder();
  private final ChannelHandlerContext context;
  private @Nullable UpstreamCall current;
  private long moved = System.nanoTime();
  private boolean isAnswered;
  private boolean isPaused;
  private boolean isClosed;

  private UpstreamConnection(UpstreamPool pool, HeadWriter writer, NetSocketInternal socket) {
    this.pool = pool;
    this.writer = writer;
    ChannelPipeline pipeline = socket.channelHandlerContext().pipeline();
    pipeline.addBefore(LAST, "answers", decoder);
    pipeline.addBefore(LAST, "upstream", this);
    this.context = pipeline.context(this);
  }

  static UpstreamConnection on(NetSocketInternal socket, UpstreamPool pool, HeadWriter writer) {
    return new UpstreamConnection(pool, writer, socket);
  }

  AnswerDecoder decoder() {
    return decoder;
  }

  HeadWriter writer() {
    return writer;
  }

  ByteBufAllocator allocator() {
    return context.alloc();
  }

  /** Carries another request. */
  void carry(UpstreamCall.Listener listener) {
    UpstreamCall call = new UpstreamCall(this, listener);
    current = call;
    moved = System.nanoTime();
    try {
      listener.connected(call);
    } catch (Throwable e) {
      fail(e);
    }
  }

  void send(ByteBuf bytes) {
    moved = System.nanoTime();
    ChannelFuture unused = context.writeAndFlush(bytes, context.voidPromise());
  }

  boolean isOpen() {
    return !isClosed && context.channel().isActive();
  }

  boolean isWritable() {
    return context.channel().isWritable();
  }

  void reading(boolean isWanted) {
    if (isPaused == isWanted) {
      isPaused = !isWanted;
      context.channel().config().setAutoRead(isWanted);
    }
  }

  /**
   * Notes that the request was answered. If nothing else arrives, another request may use the
   * connection.
   */
  void answered() {
    current = null;
    decoder.nothingAsked();
    isAnswered = true;
    reading(true);
  }

  /** Gives the connection back to the pool. */
  void free() {
    current = null;
    decoder.nothingAsked();
    if (!isClosed) {
      moved = System.nanoTime();
      pool.free(this);
    }
  }

  /** Returns whether nothing was read or written for longer than that. */
  boolean isStill(long now, long nanos) {
    return now - moved > nanos;
  }

  boolean isBusy() {
    return current != null;
  }

  /** Closes the connection and cuts its request, if it has one. */
  void fail(Throwable cause) {
    UpstreamCall call = current;
    current = null;
    close();
    if (call != null) {
      call.cut(cause);
    }
  }

  void close() {
    if (!isClosed) {
      isClosed = true;
      ChannelFuture unused = context.close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    moved = System.nanoTime();
    try {
      UpstreamCall call = current;
      if (call == null || isClosed) {
        // Not an answer to any request, or the connection has failed.
        close();
      } else {
        call.read((HttpObject) message);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (isAnswered) {
      isAnswered = false;
      free();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (current != null && isWritable()) {
      current.writable();
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(cause);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    isClosed = true;
    fail(new IOException("the upstream closed the connection"));
    pool.gone(this);
    ctx.fireChannelInactive();
  }
}
