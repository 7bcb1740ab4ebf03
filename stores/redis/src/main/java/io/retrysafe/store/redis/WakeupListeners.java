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
 * The listeners of this process that wait for an entry to end. Scripts publish that on a channel
 * with the name of the entry, which costs next to nothing if no process subscribed to it.
 */
final class WakeupListeners {
  private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());

  private final Map<ByteBuffer, List<Runnable>> byChannel = new ConcurrentHashMap<>();
  private final Optional<StatefulRedisPubSubConnection<byte[], byte[]>> connection;

  WakeupListeners(Optional<StatefulRedisPubSubConnection<byte[], byte[]>> connection) {
    this.connection = connection;
    connection.ifPresent(this::listen);
  }

  private void listen(StatefulRedisPubSubConnection<byte[], byte[]> open) {
    open.addListener(
        new RedisPubSubAdapter<byte[], byte[]>() {
          @Override
          public void message(byte[] channel, byte[] message) {
            byChannel
                .getOrDefault(ByteBuffer.wrap(channel), List.of())
                .forEach(WakeupListeners::wake);
          }
        });
    open.addListener(
        new RedisConnectionStateListener() {
          /** Lettuce repeats only the subscriptions that the lost server had confirmed. */
          @Override
          public void onRedisConnected(RedisChannelHandler<?, ?> connected, SocketAddress server) {
            byChannel.keySet().forEach(channel -> subscribeAgain(open, channel));
          }
        });
  }

  /** Runs a listener; what it throws affects neither the connection nor other listeners. */
  private static void wake(Runnable wake) {
    try {
      wake.run();
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "A listener of wake-ups failed", e);
    }
  }

  private static void subscribeAgain(
      StatefulRedisPubSubConnection<byte[], byte[]> open, ByteBuffer channel) {
    try {
      subscribe(open, bytes(channel));
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "A subscription to Redis failed; its caller polls instead", e);
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

  Watch watch(EntryKeys keys, Runnable wake) {
    if (connection.isEmpty()) {
      return () -> {};
    }
    StatefulRedisPubSubConnection<byte[], byte[]> open = connection.get();
    byChannel.compute(
        ByteBuffer.wrap(keys.entry()),
        (channel, wakes) -> {
          if (wakes != null) {
            wakes.add(wake);
            return wakes;
          }
          subscribe(open, keys.entry());
          return new CopyOnWriteArrayList<>(List.of(wake));
        });
    return () -> end(open, keys, wake);
  }

  private void end(
      StatefulRedisPubSubConnection<byte[], byte[]> open, EntryKeys keys, Runnable wake) {
    byChannel.computeIfPresent(
        ByteBuffer.wrap(keys.entry()),
        (channel, wakes) -> {
          wakes.remove(wake);
          if (!wakes.isEmpty()) {
            return wakes;
          }
          RedisFuture<Void> unused = open.async().unsubscribe(keys.entry());
          return null;
        });
  }
}
