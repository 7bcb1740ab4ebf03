// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.retrysafe.store.Wakeups.Watch;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Who in this process wants to know when an entry ends. Scripts publish that on a channel named
 * like the entry, which costs next to nothing while nobody listens.
 */
final class Watches {
  private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());

  private final Map<ByteBuffer, List<Runnable>> byChannel = new ConcurrentHashMap<>();
  private final Optional<StatefulRedisPubSubConnection<byte[], byte[]>> connection;

  Watches(Optional<StatefulRedisPubSubConnection<byte[], byte[]>> connection) {
    this.connection = connection;
    connection.ifPresent(this::listen);
  }

  private void listen(StatefulRedisPubSubConnection<byte[], byte[]> open) {
    open.addListener(
        new RedisPubSubAdapter<byte[], byte[]>() {
          @Override
          public void message(byte[] channel, byte[] message) {
            byChannel.getOrDefault(ByteBuffer.wrap(channel), List.of()).forEach(Watches::wake);
          }
        });
    open.addListener(
        new RedisConnectionStateListener() {
          /** The client itself only repeats what the lost server had confirmed. */
          @Override
          public void onRedisConnected(RedisChannelHandler<?, ?> connected, SocketAddress server) {
            byChannel.keySet().forEach(channel -> subscribeAgain(open, channel));
          }
        });
  }

  /** Whatever a listener throws, it is neither the connection's trouble nor the others'. */
  private static void wake(Runnable wake) {
    try {
      wake.run();
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "A listener failed when it was woken", e);
    }
  }

  private static void subscribeAgain(
      StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel) {
    try {
      subscribe(open, bytes(channel));
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "A listener is not subscribed: it looks less often", e);
    }
  }

  private static byte[] bytes(ByteBuffer channel) {
    byte[] bytes = new byte[channel.remaining()];
    channel.duplicate().get(bytes);
    return bytes;
  }

  private static void subscribe(
      StatefulRedisPubSubConnection<byte[], byte[]> open, byte[] channel) {
    RedisFuture<Void> unused = open.async().subscribe(channel);
  }

  Watch watch(Name name, Runnable wake) {
    if (connection.isEmpty()) {
      return () -> {};
    }
    StatefulRedisPubSubConnection<byte[], byte[]> open = connection.get();
    byChannel.compute(
        ByteBuffer.wrap(name.entry()),
        (channel, wakes) -> {
          if (wakes != null) {
            wakes.add(wake);
            return wakes;
          }
          subscribe(open, name.entry());
          return new CopyOnWriteArrayList<>(List.of(wake));
        });
    return () -> end(open, name, wake);
  }

  private void end(StatefulRedisPubSubConnection<byte[], byte[]> open, Name name, Runnable wake) {
    byChannel.computeIfPresent(
        ByteBuffer.wrap(name.entry()),
        (channel, wakes) -> {
          wakes.remove(wake);
          if (!wakes.isEmpty()) {
            return wakes;
          }
          RedisFuture<Void> unused = open.async().unsubscribe(name.entry());
          return null;
        });
  }
}
