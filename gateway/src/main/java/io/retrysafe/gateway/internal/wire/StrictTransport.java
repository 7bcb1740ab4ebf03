// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

/**
 * The best available transport, native or not, with an {@link Acceptor} in front of every server.
 * Vert.x has no other hook for that.
 */
public final class StrictTransport implements Transport, io.vertx.core.transport.Transport {
  private final io.vertx.core.transport.Transport transport;
  private final Transport inner;
  private final Function<HttpServerOptions, Acceptor> acceptors;

  private StrictTransport(
      io.vertx.core.transport.Transport transport,
      Function<HttpServerOptions, Acceptor> acceptors) {
    this.transport = transport;
    this.inner = transport.implementation();
    this.acceptors = acceptors;
  }

  public static StrictTransport create(Function<HttpServerOptions, Acceptor> acceptors) {
    io.vertx.core.transport.Transport best = io.vertx.core.transport.Transport.nativeTransport();
    boolean isThere = best != null && best.available();
    return new StrictTransport(isThere ? best : io.vertx.core.transport.Transport.NIO, acceptors);
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    inner.configure(options, domainSocket, bootstrap);
    if (options instanceof HttpServerOptions http) {
      bootstrap.handler(acceptors.apply(http));
    }
  }

  @Override
  public String name() {
    return transport.name();
  }

  @Override
  public boolean available() {
    return true;
  }

  @Override
  public Throwable unavailabilityCause() {
    return transport.unavailabilityCause();
  }

  @Override
  public Transport implementation() {
    return this;
  }

  @Override
  public boolean supportsDomainSockets() {
    return inner.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return inner.supportFileRegion();
  }

  @Override
  public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
    return inner.convert(address);
  }

  @Override
  public io.vertx.core.net.SocketAddress convert(SocketAddress address) {
    return inner.convert(address);
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return inner.ioHandlerFactory();
  }

  @Override
  public EventLoopGroup eventLoopGroup(
      int type, int threads, ThreadFactory threadFactory, int ioRatio) {
    return inner.eventLoopGroup(type, threads, threadFactory, ioRatio);
  }

  @Override
  public DatagramChannel datagramChannel() {
    return inner.datagramChannel();
  }

  @Override
  @SuppressWarnings("deprecation") // required by the interface of Vert.x
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return inner.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return inner.channelFactory(domainSocket);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return inner.serverChannelFactory(domainSocket);
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    inner.configure(channel, options);
  }

  @Override
  public void configure(
      ClientOptionsBase options, int connectTimeout, boolean domainSocket, Bootstrap bootstrap) {
    inner.configure(options, connectTimeout, domainSocket, bootstrap);
  }
}
