// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.KeyScanOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.NoAnswerException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sends scripts through batch lanes, and single commands directly. Every command is sent at most
 * once. A call waits for the time-out at most, or until its caller's deadline.
 */
final class RedisCommands implements AutoCloseable {
  /** An outcome up to this size shares a reply with others; a larger one is read alone. */
  static final byte[] LARGEST_SHARED = Micros.digits(64 * 1024);

  private static final byte[] UNBOUNDED = Micros.digits(Integer.MAX_VALUE);

  private final RedisConnection connection;
  private final Duration timeout;
  private final List<BatchLane> lanes = new ArrayList<>();

  RedisCommands(RedisConnection connection, Duration timeout) {
    this.connection = connection;
    this.timeout = timeout;
  }

  RedisConnection connection() {
    return connection;
  }

  /**
   * Creates a lane for a script. In a cluster a script can reach one slot only, so only calls of
   * the same slot share a batch.
   *
   * @param fixed arguments that apply to all calls
   */
  BatchLane lane(Script script, byte[]... fixed) {
    BatchLane.Limits limits =
        connection.isCluster() ? BatchLane.Limits.CLUSTER : BatchLane.Limits.ONE_SERVER;
    BatchLane lane;
    if (script.hasOutcomes()) {
      Batch.Transport alone = new ScriptTransport(script, connection, with(UNBOUNDED, fixed));
      lane =
          new BatchLane(
              new ScriptTransport(script, connection, with(LARGEST_SHARED, fixed)),
              limits,
              new BatchLane(alone, BatchLane.Limits.ONE_AT_A_TIME, null));
    } else {
      lane = new BatchLane(new ScriptTransport(script, connection, fixed), limits, null);
    }
    lanes.add(lane);
    return lane;
  }

  private static byte[][] with(byte[] first, byte[][] rest) {
    return Stream.concat(Stream.of(first), Stream.of(rest)).toArray(byte[][]::new);
  }

  /**
   * Creates a call on an entry.
   *
   * @param arguments the first one is the tag that the script returns before the answer
   */
  ScriptCall call(EntryKeys entry, byte[]... arguments) {
    return call(new byte[][] {entry.entry(), entry.index()}, arguments);
  }

  /** Creates a call on keys in one slot. */
  ScriptCall call(byte[][] keys, byte[]... arguments) {
    Duration left = CallDeadline.timeLeft(timeout);
    if (left.isZero()) {
      throw new NoAnswerException("the caller's deadline passed before Redis was called", null);
    }
    return new ScriptCall(left, keys, arguments);
  }

  /** Sends a command to the server that has {@code key}, or to any server if it is null. */
  <T> RedisFuture<T> send(
      CommandType type,
      CommandOutput<byte[], byte[], T> output,
      byte @Nullable [] key,
      byte[]... words) {
    return send(connection.commands(), type, output, key, words);
  }

  /** Sends a command to one server. */
  <T> RedisFuture<T> send(
      StatefulConnection<byte[], byte[]> node,
      CommandType type,
      CommandOutput<byte[], byte[], T> output,
      byte @Nullable [] key,
      byte[]... words) {
    return new AtMostOnceCommand<>(type, output, key, words).send(node);
  }

  /** Returns the next keys of a scan over one server. */
  KeyScanCursor<byte[]> scan(
      StatefulConnection<byte[], byte[]> node, String cursor, byte[] pattern, int count) {
    return await(
        send(
            node,
            CommandType.SCAN,
            new KeyScanOutput<>(ByteArrayCodec.INSTANCE),
            null,
            EntryKeys.ascii(cursor),
            EntryKeys.ascii("MATCH"),
            pattern,
            EntryKeys.ascii("COUNT"),
            Micros.digits(count)));
  }

  /** Waits for the reply to a command. */
  <T> T await(RedisFuture<T> sent) {
    Duration time = CallDeadline.timeLeft(timeout);
    try {
      return sent.get(RedisClients.nanos(time), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // A command that still waits for a connection is not sent any more.
      sent.cancel(true);
      throw new NoAnswerException("Redis did not answer within " + time, e);
    } catch (InterruptedException e) {
      sent.cancel(true);
      Thread.currentThread().interrupt();
      throw new NoAnswerException("interrupted while waiting for Redis", e);
    } catch (ExecutionException e) {
      @Nullable Throwable cause = e.getCause();
      if (cause != null && RedisErrors.needsReconnect(cause)) {
        connection.reconnect();
      }
      throw RedisErrors.of(cause);
    }
  }

  /** Closes the lanes and the connection. Waiting calls get no answer. */
  @Override
  public void close() {
    lanes.forEach(BatchLane::close);
    connection.close();
  }
}
