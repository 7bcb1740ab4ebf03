// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.StoreException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Near copies in Redis, shared by all processes: a string per key, which the server removes when
 * its time is over, or earlier if it likes. It need not be durable, and may evict.
 *
 * <p>It is never waited for long: a call ends after the time-out, and after one that failed nobody
 * asks for a second.
 */
public final class RedisCopies implements NearCopies {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

  private final Function<Duration, Link> opening;
  private final Duration timeout;
  private final String prefix;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable Open open;
  private volatile long silentUntil = System.nanoTime();

  private RedisCopies(Builder builder) {
    this.opening = builder.opening;
    this.timeout = builder.timeout;
    this.prefix = builder.namespace + ":near:";
  }

  /**
   * Returns near copies with all defaults. See {@link RedisStore#builder(String)} for addresses.
   */
  public static RedisCopies create(String url) {
    return builder(url).build();
  }

  /** Returns a builder with all defaults. */
  public static Builder builder(String url) {
    return new Builder(timeout -> Links.open(url, timeout, DisconnectedBehavior.REJECT_COMMANDS));
  }

  /** Returns a builder for copies on a connection of the application's client, which stays open. */
  public static Builder builder(RedisClient client) {
    return new Builder(timeout -> Links.open(client));
  }

  /** Returns a builder for copies on a connection of the application's client, which stays open. */
  public static Builder builder(RedisClusterClient client) {
    return new Builder(timeout -> Links.open(client));
  }

  @Override
  public Optional<Bytes> get(OperationKey key) {
    Open now = answering();
    if (now == null) {
      return Optional.empty();
    }
    try {
      Call call = now.reads().send(new Call(timeout, new byte[][] {name(key)}));
      return Optional.ofNullable((byte[]) call.await()).map(Bytes::wrap);
    } catch (StoreException | RedisException e) {
      pause();
      return Optional.empty();
    }
  }

  @Override
  public void add(OperationKey key, Bytes copy, Duration time) {
    Open now = answering();
    if (now == null) {
      return;
    }
    try {
      RedisFuture<String> unused = set(now.commands(), key, copy, SetArgs.Builder.px(time).nx());
    } catch (RedisException e) {
      pause();
    }
  }

  @Override
  public boolean replace(OperationKey key, Bytes copy, Duration time) {
    Open now = open;
    if (now == null) {
      return false;
    }
    try {
      // Asked for by people, who can wait, and for whom it matters.
      new Calls(now.link(), PATIENCE)
          .await(set(now.commands(), key, copy, SetArgs.Builder.px(time)));
      return true;
    } catch (StoreException | RedisException e) {
      return false;
    }
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public void close() {
    closed.countDown();
    synchronized (this) {
      if (open != null) {
        open.link().close();
      }
    }
  }

  private RedisFuture<String> set(
      RedisClusterAsyncCommands<byte[], byte[]> commands,
      OperationKey key,
      Bytes copy,
      SetArgs how) {
    return commands.set(name(key), copy.toArray(), how);
  }

  /** Returns the connection, unless it was just silent. */
  private @Nullable Open answering() {
    return System.nanoTime() - silentUntil < 0 ? null : open;
  }

  private void pause() {
    silentUntil = System.nanoTime() + PAUSE.toNanos();
  }

  private byte[] name(OperationKey key) {
    return Name.ascii(prefix + TEXT.encodeToString(key.digest()));
  }

  /** Connects, however long it takes: nothing depends on it. */
  private void connect() {
    try {
      do {
        try {
          connected(opening.apply(timeout));
          return;
        } catch (RedisException e) {
          // Not there yet.
        }
      } while (!closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void connected(Link link) {
    if (closed.getCount() == 0) {
      link.close();
    } else {
      open = Open.of(link);
    }
  }

  /** A connection, and the reads that share its commands. */
  private record Open(Link link, Lane reads) {
    /** Copies may be large, and nobody knows before. */
    private static final int MOST_READS = 32;

    static Open of(Link link) {
      Batch.Wire wire = (calls, inFull) -> read(link.commands(), calls);
      // In a cluster a command reaches the keys of one slot only.
      return new Open(link, link.isCluster() ? Lane.ofSingles(wire) : Lane.of(wire, MOST_READS));
    }

    private static RedisFuture<List<Object>> read(
        RedisClusterAsyncCommands<byte[], byte[]> commands, List<Call> calls) {
      CommandArgs<byte[], byte[]> keys = new CommandArgs<>(ByteArrayCodec.INSTANCE);
      calls.forEach(call -> keys.addKeys(call.keys()));
      return commands.dispatch(
          CommandType.MGET, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), keys);
    }

    RedisClusterAsyncCommands<byte[], byte[]> commands() {
      return link.commands();
    }
  }

  /** Settings of near copies in Redis. */
  public static final class Builder {
    private final Function<Duration, Link> opening;
    private Duration timeout = Duration.ofMillis(100);
    private String namespace = "retrysafe";

    private Builder(Function<Duration, Link> opening) {
      this.opening = opening;
    }

    /** How long to wait for a copy, 100 ms by default. */
    public Builder timeout(Duration timeout) {
      if (timeout.toMillis() < 1) {
        throw new IllegalArgumentException("timeout must be at least 1 ms, was " + timeout);
      }
      this.timeout = timeout;
      return this;
    }

    /** What all keys begin with, {@code retrysafe} by default. */
    public Builder namespace(String namespace) {
      this.namespace = Name.checked(namespace);
      return this;
    }

    /** Begins to connect, in the background: until then there are no copies. */
    public RedisCopies build() {
      RedisCopies copies = new RedisCopies(this);
      Thread thread = new Thread(copies::connect, "retrysafe-near");
      thread.setDaemon(true);
      thread.start();
      return copies;
    }
  }
}
