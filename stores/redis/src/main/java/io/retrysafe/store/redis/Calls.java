// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.KeyScanOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands, each at most once, and waits for their answers: each for the time-out at most,
 * and no longer than its caller waits.
 */
final class Calls {
  static final int MOST_IN_A_SCRIPT = 128;

  /** An outcome up to this size shares a reply with others; a larger one is asked for alone. */
  static final byte[] LARGEST_SHARED = Micros.digits(64 * 1024);

  private static final byte[] UNBOUNDED = Micros.digits(Integer.MAX_VALUE);

  private final Link link;
  private final Duration timeout;
  private final List<Lane> lanes = new ArrayList<>();

  Calls(Link link, Duration timeout) {
    this.link = link;
    this.timeout = timeout;
  }

  Link link() {
    return link;
  }

  /**
   * Returns a lane for a step on entries. In a cluster a script reaches the entries of one slot
   * only, so calls stay by themselves there.
   *
   * @param shape whether an answer is one that the script can give
   * @param fixed what the step has to know for all of them
   */
  Lane lane(Script script, Predicate<Object> shape, byte[]... fixed) {
    return lane(new ScriptWire(script, link, shape, fixed), null);
  }

  /**
   * Returns a lane for a step that may answer with an outcome. The bytes that an outcome may have
   * to share a reply come first in what the script has to know.
   */
  Lane laneWithOutcomes(Script script, Predicate<Object> shape, byte[]... fixed) {
    Lane large = Lane.ofLarge(new ScriptWire(script, link, shape, before(UNBOUNDED, fixed)));
    return lane(new ScriptWire(script, link, shape, before(LARGEST_SHARED, fixed)), large);
  }

  /** Returns a lane for reading near copies. */
  Lane laneOfCopies(int most) {
    Lane large = Lane.ofLarge(new ScriptWire(Script.COPY, link, Row::isCopy, UNBOUNDED));
    Batch.Wire wire = new ScriptWire(Script.COPY, link, Row::isCopy, LARGEST_SHARED);
    return link.isCluster() ? Lane.ofSingles(wire, large) : Lane.of(wire, most, large);
  }

  private Lane lane(Batch.Wire wire, @Nullable Lane large) {
    Lane lane =
        link.isCluster() ? Lane.ofSingles(wire, large) : Lane.of(wire, MOST_IN_A_SCRIPT, large);
    lanes.add(lane);
    return lane;
  }

  private static byte[][] before(byte[] first, byte[][] rest) {
    byte[][] all = new byte[rest.length + 1][];
    all[0] = first;
    System.arraycopy(rest, 0, all, 1, rest.length);
    return all;
  }

  /** Sends a call on an entry, which is recognised by the first of its arguments. */
  Call send(Lane lane, Name name, byte[]... arguments) {
    return send(lane, new byte[][] {name.entry(), name.index()}, arguments);
  }

  /** Sends a call on keys that lie in one slot, recognised by the first of its arguments. */
  Call send(Lane lane, byte[][] keys, byte[]... arguments) {
    return lane.send(new Call(timeLeft(), keys, arguments));
  }

  /** Sends a command to the server that has {@code key}, or to any if it is null. */
  <T> RedisFuture<T> send(
      CommandType type,
      CommandOutput<byte[], byte[], T> output,
      byte @Nullable [] key,
      byte[]... words) {
    return send(link.connection(), type, output, key, words);
  }

  /** Sends a command to the server at the other end of {@code connection}. */
  <T> RedisFuture<T> send(
      StatefulConnection<byte[], byte[]> connection,
      CommandType type,
      CommandOutput<byte[], byte[], T> output,
      byte @Nullable [] key,
      byte[]... words) {
    return new AtMostOnceCommand<>(type, output, key, words).send(connection);
  }

  /** Takes a step of a walk over the keys of a server. */
  KeyScanCursor<byte[]> scan(
      StatefulConnection<byte[], byte[]> node, String position, byte[] pattern, int count) {
    return await(
        send(
            node,
            CommandType.SCAN,
            new KeyScanOutput<>(ByteArrayCodec.INSTANCE),
            null,
            Name.ascii(position),
            Name.ascii("MATCH"),
            pattern,
            Name.ascii("COUNT"),
            Micros.digits(count)));
  }

  /** Waits for the answer to a command. */
  <T> T await(RedisFuture<T> sent) {
    try {
      return get(sent);
    } catch (ExecutionException e) {
      throw trouble(e.getCause());
    }
  }

  private StoreException trouble(@Nullable Throwable cause) {
    if (cause != null && (Trouble.isReadOnly(cause.getMessage()) || Trouble.isBroken(cause))) {
      link.reconnect();
    }
    return Trouble.of(cause);
  }

  private <T> T get(RedisFuture<T> sent) throws ExecutionException {
    Duration time = CallDeadline.timeLeft(timeout);
    try {
      return sent.get(Call.nanos(time), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // What still waits for a connection is not sent any more.
      sent.cancel(true);
      throw new NoAnswerException("Redis did not answer within " + time, e);
    } catch (InterruptedException e) {
      sent.cancel(true);
      Thread.currentThread().interrupt();
      throw new NoAnswerException("interrupted while waiting for Redis", e);
    }
  }

  private Duration timeLeft() {
    Duration left = CallDeadline.timeLeft(timeout);
    if (left.isZero()) {
      throw new NoAnswerException("the caller's time was over before Redis was asked", null);
    }
    return left;
  }

  /** Closes the lanes and the connections: calls that wait get no answer. */
  void close() {
    lanes.forEach(Lane::close);
    link.close();
  }

  /** Sends a script on keys that lie in one slot; answers are the first key and a number. */
  SentScript send(Script script, byte[][] keys, byte[][] arguments) {
    return new SentScript(script, keys, arguments);
  }

  /** A script that was sent; servers that do not know it yet are sent its text afterwards. */
  final class SentScript {
    private final Script script;
    private final byte[][] keys;
    private final byte[][] arguments;
    private final RedisFuture<List<Object>> answer;

    private SentScript(Script script, byte[][] keys, byte[][] arguments) {
      this.script = script;
      this.keys = keys;
      this.arguments = arguments;
      this.answer = script.send(link.connection(), false, keys, arguments);
    }

    /**
     * Waits for the answer.
     *
     * @throws StoreException as {@link Trouble} says
     */
    void await() {
      List<Object> reply;
      try {
        reply = get(answer);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof RedisNoScriptException)) {
          throw trouble(e.getCause());
        }
        reply = Calls.this.await(script.send(link.connection(), true, keys, arguments));
      }
      if (!Row.isCount(reply, keys[0])) {
        link.reconnect();
        throw new NoAnswerException("Redis sent a reply that does not fit its command", null);
      }
    }
  }
}
