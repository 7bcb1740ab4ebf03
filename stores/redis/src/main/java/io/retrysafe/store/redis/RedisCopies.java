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
 * its time is over, or earlier if it likes. It need not be durable, and may evict.
 *
 * <p>It is never waited for long: a call ends after the time-out, and after one that failed nobody
 * asks for a second.
 */
public final class RedisCopies implements NearCopies {
  private static final System.Logger LOG = System.getLogger(RedisCopies.class.getName());
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration BETWEEN_TRIES = Duration.ofMillis(50);
  private static final byte[] PX = Name.ascii("PX");
  private static final byte[] NX = Name.ascii("NX");

  /** How many characters at the end of its name a call is recognised by. */
  private static final int TAG = 16;

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

  /** Returns a builder for copies on connections that {@code opening} opens within a time. */
  static Builder builder(Function<Duration, Link> opening) {
    return new Builder(opening);
  }

  @Override
  public Optional<Bytes> get(OperationKey key) {
    Open now = answering();
    Duration time = CallDeadline.timeLeft(timeout);
    if (now == null || time.isZero()) {
      return Optional.empty();
    }
    Call call = reading(key, time);
    try {
      return copy(now.reads().send(call).await());
    } catch (StoreException | RedisException e) {
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
    Call call = reading(key, time);
    try {
      return now.reads()
          .send(call)
          .later()
          .handle((answer, failure) -> failure == null ? copy(answer) : missed(call));
    } catch (StoreException | RedisException e) {
      return CompletableFuture.completedFuture(missed(call));
    }
  }

  private Call reading(OperationKey key, Duration time) {
    byte[] name = name(key);
    byte[] tag = Arrays.copyOfRange(name, name.length - TAG, name.length);
    return new Call(time, new byte[][] {name}, tag);
  }

  private static Optional<Bytes> copy(Object answer) {
    return answer instanceof byte[] copy ? Optional.of(Bytes.wrap(copy)) : Optional.empty();
  }

  private Optional<Bytes> missed(Call call) {
    // Who waits for his turn to read a large copy learns nothing about the server.
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
      // Nobody waits for it; what cannot be sent in time must not stay in memory.
      CompletableFuture<String> unused =
          set(now, key, copy, time, true)
              .toCompletableFuture()
              .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RedisException e) {
      pause();
    }
  }

  /** Waits for the near side to come back, for a moment: people ask for it, and it matters. */
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
      new Calls(now.link(), PATIENCE).await(set(now, key, copy, time, false));
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
        open.reads().close();
        open.link().close();
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
    return new AtMostOnceCommand<>(
            CommandType.SET, new StatusOutput<>(ByteArrayCodec.INSTANCE), name, words)
        .send(now.link().connection());
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

  /** Connects, however long it takes and whatever is thrown: nothing depends on it. */
  private void connect() {
    boolean isTold = false;
    try {
      do {
        try {
          connected(opening.apply(timeout));
          return;
        } catch (Throwable e) {
          // Not there yet, most likely.
          LOG.log(isTold ? Level.DEBUG : Level.WARNING, "Near copies are not connected yet: " + e);
          isTold = true;
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
    private static final int MOST_READS = 32;

    static Open of(Link link) {
      Lane reads = new Calls(link, PATIENCE).laneOfCopies(MOST_READS);
      return new Open(link, reads);
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

    /** How long to wait for a copy, 100 ms by default, a day at most. */
    public Builder timeout(Duration timeout) {
      this.timeout = Call.checked(timeout);
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
