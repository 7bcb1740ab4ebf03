// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.StoreException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Near copies in Redis, shared by all processes: a string per key, which the server removes when
 * its time is over. The server need not be durable, and may evict copies earlier.
 *
 * <p>Callers never wait long: a call ends after the time-out, and after a failure all calls skip
 * Redis for a second.
 */
public final class RedisCopies implements NearCopies {
  private static final System.Logger LOG = System.getLogger(RedisCopies.class.getName());
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration BETWEEN_TRIES = Duration.ofMillis(50);
  private static final byte[] PX = EntryKeys.ascii("PX");
  private static final byte[] NX = EntryKeys.ascii("NX");

  /** How many characters at the end of a key are the tag of its call. */
  private static final int TAG = 16;

  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

  private final Function<Duration, RedisConnection> opening;
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
    return new Builder(
        timeout -> RedisClients.open(url, timeout, DisconnectedBehavior.REJECT_COMMANDS));
  }

  /** Returns a builder for copies on a connection of the application's client, which stays open. */
  public static Builder builder(RedisClient client) {
    return new Builder(timeout -> RedisClients.open(client));
  }

  /** Returns a builder for copies on a connection of the application's client, which stays open. */
  public static Builder builder(RedisClusterClient client) {
    return new Builder(timeout -> RedisClients.open(client));
  }

  /** Returns a builder for copies on connections that {@code opening} opens within a time. */
  static Builder builder(Function<Duration, RedisConnection> opening) {
    return new Builder(opening);
  }

  @Override
  public Optional<Bytes> get(OperationKey key) {
    Open now = answering();
    Duration time = CallDeadline.timeLeft(timeout);
    if (now == null || time.isZero()) {
      return Optional.empty();
    }
    ScriptCall call = reading(key, time);
    try {
      return copy(now.reads().send(call).await());
    } catch (StoreException e) {
      return missed(call);
    }
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(OperationKey key, Executor blocking) {
    Open now = answering();
    Duration time = CallDeadline.timeLeft(timeout);
    if (now == null || time.isZero()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    ScriptCall call = reading(key, time);
    try {
      return now.reads()
          .send(call)
          .later()
          .handle((answer, failure) -> failure == null ? copy(answer) : missed(call));
    } catch (StoreException e) {
      return CompletableFuture.completedFuture(missed(call));
    }
  }

  private ScriptCall reading(OperationKey key, Duration time) {
    byte[] name = name(key);
    byte[] tag = Arrays.copyOfRange(name, name.length - TAG, name.length);
    return new ScriptCall(time, new byte[][] {name}, tag);
  }

  private static Optional<Bytes> copy(Object answer) {
    return answer instanceof byte[] copy ? Optional.of(Bytes.wrap(copy)) : Optional.empty();
  }

  private Optional<Bytes> missed(ScriptCall call) {
    // A call that waited for its turn to read a large copy says nothing about the server.
    if (!call.isLarge()) {
      pause();
    }
    return Optional.empty();
  }

  @Override
  public void add(OperationKey key, Bytes copy, Duration time) {
    Open now = answering();
    if (now == null) {
      return;
    }
    try {
      // No caller waits for it; a copy that is not sent in time must not stay in memory.
      CompletableFuture<String> unused =
          set(now, key, copy, time, true)
              .toCompletableFuture()
              .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RedisException e) {
      pause();
    }
  }

  /** Tries for two seconds, because an operator's action depends on it. */
  @Override
  public boolean replace(OperationKey key, Bytes copy, Duration time) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      do {
        Open now = open;
        if (now != null && isReplaced(now, key, copy, time)) {
          return true;
        }
        if (closed.await(BETWEEN_TRIES.toMillis(), TimeUnit.MILLISECONDS)) {
          return false;
        }
      } while (System.nanoTime() - end < 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private boolean isReplaced(Open now, OperationKey key, Bytes copy, Duration time) {
    try {
      now.commands().await(set(now, key, copy, time, false));
      return true;
    } catch (StoreException e) {
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
        open.commands().close();
      }
    }
  }

  private RedisFuture<String> set(
      Open now, OperationKey key, Bytes copy, Duration time, boolean ifAbsent) {
    byte[] name = name(key);
    byte[] millis = Micros.digits(Math.max(1, Micros.count(time) / 1000));
    byte[][] words =
        ifAbsent
            ? new byte[][] {name, copy.toArray(), PX, millis, NX}
            : new byte[][] {name, copy.toArray(), PX, millis};
    return now.commands()
        .send(CommandType.SET, new StatusOutput<>(ByteArrayCodec.INSTANCE), name, words);
  }

  /** Returns the connection, unless a call on it failed within the last second. */
  private @Nullable Open answering() {
    return System.nanoTime() - silentUntil < 0 ? null : open;
  }

  private void pause() {
    silentUntil = System.nanoTime() + PAUSE.toNanos();
  }

  private byte[] name(OperationKey key) {
    return EntryKeys.ascii(prefix + TEXT.encodeToString(key.digest()));
  }

  /** Connects in the background and retries after any failure. */
  private void connect() {
    boolean isLogged = false;
    try {
      do {
        try {
          connected(opening.apply(timeout));
          return;
        } catch (Throwable e) {
          LOG.log(
              isLogged ? Level.DEBUG : Level.WARNING, "Near copies are not connected yet: " + e);
          isLogged = true;
        }
      } while (!closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void connected(RedisConnection connection) {
    if (closed.getCount() == 0) {
      connection.close();
    } else {
      open = Open.of(new RedisCommands(connection, PATIENCE));
    }
  }

  /** An open connection and the lane for reading copies. */
  private record Open(RedisCommands commands, BatchLane reads) {
    static Open of(RedisCommands commands) {
      return new Open(commands, commands.lane(Script.COPY));
    }
  }

  /** Settings of near copies in Redis. */
  public static final class Builder {
    private final Function<Duration, RedisConnection> opening;
    private Duration timeout = Duration.ofMillis(100);
    private String namespace = "retrysafe";

    private Builder(Function<Duration, RedisConnection> opening) {
      this.opening = opening;
    }

    /** How long to wait for a copy, 100 ms by default, a day at most. */
    public Builder timeout(Duration timeout) {
      this.timeout = RedisClients.checkedTimeout(timeout);
      return this;
    }

    /** What all keys begin with, {@code retrysafe} by default. */
    public Builder namespace(String namespace) {
      this.namespace = EntryKeys.checked(namespace);
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
