// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.CommandListenerWriter;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.DefaultEndpoint;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Ends connections: for the client to open them again, at most so often, or for good. */
final class Reconnection {
  private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long CLOSE_SECONDS = 2;

  private final AtomicLong last = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

  /** Returns whether it is time for another reconnection; then it counts as begun. */
  boolean begins() {
    long now = System.nanoTime();
    long before = last.get();
    return now - before >= PAUSE_NANOS && last.compareAndSet(before, now);
  }

  /** Closes the channel of a connection; the client's watchdog opens the next one. */
  static void disconnect(StatefulConnection<?, ?> connection) {
    if (connection instanceof RedisChannelHandler<?, ?> handler
        && endpoint(handler.getChannelWriter()) instanceof DefaultEndpoint endpoint) {
      endpoint.disconnect();
    } else {
      LOG.log(
          Level.WARNING,
          "A connection to Redis of type {0} cannot be closed to be opened again",
          connection.getClass().getName());
    }
  }

  private static RedisChannelWriter endpoint(RedisChannelWriter writer) {
    RedisChannelWriter inner = writer;
    while (true) {
      if (inner instanceof CommandExpiryWriter expiry) {
        inner = expiry.getDelegate();
      } else if (inner instanceof CommandListenerWriter listening) {
        inner = listening.getDelegate();
      } else {
        return inner;
      }
    }
  }

  /** Closes connections for good, and waits for it, but not for ever. */
  static void close(StatefulConnection<?, ?>... connections) {
    CompletableFuture<?>[] closing =
        Stream.of(connections)
            .map(StatefulConnection::closeAsync)
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(closing).get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.log(Level.WARNING, "A connection to Redis was not closed in order", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
