// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.vertx.core.http.HttpServerOptions;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the connections of a server up to its limits. A plain connection above a limit gets a 503
 * before it is closed; a TLS connection is closed at once.
 */
public final class Acceptor extends ChannelInboundHandlerAdapter {
  /**
   * The most connections that get a 503 at the same time. Further ones are closed without an
   * answer.
   */
  private static final int TOLD_AT_ONCE = 100;

  private static final long DRAIN_SECONDS = 1;

  private final HttpServerOptions options;
  private final Supplier<GatewayConfig> config;
  private final Metrics metrics;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger told = new AtomicInteger();
  private final ClientCounts clients = new ClientCounts();

  public Acceptor(HttpServerOptions options, Supplier<GatewayConfig> config, Metrics metrics) {
    this.options = options;
    this.config = config;
    this.metrics = metrics;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Channel channel && !accept(channel)) {
      return;
    }
    ctx.fireChannelRead(message);
  }

  /** Accepts a connection, to serve or to refuse it; returns false if it was closed at once. */
  private boolean accept(Channel channel) {
    Limits limits = config.get().limits();
    boolean isRoom = open.incrementAndGet() <= limits.connections();
    String client = counted(channel, limits.connectionsPerClient());
    boolean isOneTooMany = client != null && !clients.take(client, limits.connectionsPerClient());
    boolean isRefused = !isRoom || isOneTooMany;
    if (isRefused) {
      metrics.connectionRefused();
    }
    String taken = isOneTooMany ? null : client;
    if (isRefused && told.incrementAndGet() > TOLD_AT_ONCE) {
      closed(taken, true);
      channel.unsafe().closeForcibly();
      return false;
    }
    metrics.connections().increment();
    channel
        .closeFuture()
        .addListener(
            closed -> {
              closed(taken, isRefused);
              metrics.connections().decrement();
            });
    channel
        .pipeline()
        .addLast(
            isRefused
                ? new Refusing(options.isSsl())
                : new FirstBytes(options, limits.headTimeout()));
    return true;
  }

  private void closed(@Nullable String client, boolean wasRefused) {
    open.decrementAndGet();
    if (client != null) {
      clients.giveBack(client);
    }
    if (wasRefused) {
      told.decrementAndGet();
    }
  }

  /** Returns the client that a connection counts for; null if connections are not counted. */
  private @Nullable String counted(Channel channel, int most) {
    if (most > 0
        && channel.remoteAddress() instanceof InetSocketAddress remote
        && remote.getAddress() != null) {
      String address = remote.getAddress().getHostAddress();
      return config.get().trustedProxies().isProxy(address) ? null : ClientCounts.of(address);
    }
    return null;
  }

  /** The first handler of a refused connection. It passes nothing on. */
  private static final class Refusing extends ChannelInboundHandlerAdapter {
    private static final String DETAIL = "Too many connections. Try again later.\n";
    private static final String ANSWER =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 1\r\n"
            + "Connection: close\r\nContent-Length: "
            + DETAIL.length()
            + "\r\n\r\n"
            + DETAIL;

    private final boolean isEncrypted;

    Refusing(boolean isEncrypted) {
      this.isEncrypted = isEncrypted;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      if (isEncrypted) {
        ChannelFuture unused = ctx.close();
        return;
      }
      byte[] answer = ANSWER.getBytes(StandardCharsets.US_ASCII);
      ChannelFuture unused =
          ctx.writeAndFlush(Unpooled.wrappedBuffer(answer))
              .addListener((ChannelFutureListener) sent -> endOutput(sent.channel()));
      // Reads what the client sent: otherwise a reset could reach the client before the answer.
      Runnable closing =
          () -> {
            ChannelFuture unusedClose = ctx.close();
          };
      Future<?> unusedToo = ctx.executor().schedule(closing, DRAIN_SECONDS, TimeUnit.SECONDS);
    }

    private static void endOutput(Channel channel) {
      if (channel instanceof DuplexChannel duplex) {
        ChannelFuture unused = duplex.shutdownOutput();
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
    }
  }
}
