// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends commands and waits for their answers, each for a bounded time. */
final class Calls {
  static final int MOST_IN_A_SCRIPT = 128;

  private final Link link;
  private final Duration timeout;

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
   * @param fixed what the step has to know for all of them
   */
  Lane lane(Script<List<Object>> script, byte[]... fixed) {
    Batch.Wire wire = Script.wire(script, link.commands(), fixed);
    return link.isCluster() ? Lane.ofSingles(wire) : Lane.of(wire, MOST_IN_A_SCRIPT);
  }

  /** Sends a call on an entry. */
  Call send(Lane lane, Name name, byte[]... arguments) {
    return lane.send(new Call(timeout, new byte[][] {name.entry(), name.index()}, arguments));
  }

  /** Sends a script on an entry; servers that do not know it yet are sent its text afterwards. */
  <T> Sent<T> send(Script<T> script, Name name, byte[]... arguments) {
    return send(script, new byte[][] {name.entry(), name.index()}, arguments);
  }

  /** Sends a script on keys that lie in one slot. */
  <T> Sent<T> send(Script<T> script, byte[][] keys, byte[][] arguments) {
    return new Sent<>(script, keys, arguments);
  }

  /** Runs a script on an entry and returns its answer. */
  <T> T run(Script<T> script, Name name, byte[]... arguments) {
    return send(script, name, arguments).await();
  }

  /** Waits for the answer to a command. */
  <T> T await(RedisFuture<T> sent) {
    try {
      return get(sent);
    } catch (ExecutionException e) {
      throw Trouble.of(e.getCause());
    }
  }

  private <T> T get(RedisFuture<T> sent) throws ExecutionException {
    try {
      return sent.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // What still waits for a connection is not sent any more.
      sent.cancel(true);
      throw new NoAnswerException("Redis did not answer within " + timeout, e);
    } catch (InterruptedException e) {
      sent.cancel(true);
      Thread.currentThread().interrupt();
      throw new NoAnswerException("interrupted while waiting for Redis", e);
    }
  }

  /** A script that was sent. */
  final class Sent<T> {
    private final Script<T> script;
    private final byte[][] keys;
    private final byte[][] arguments;
    private final RedisFuture<T> answer;

    private Sent(Script<T> script, byte[][] keys, byte[][] arguments) {
      this.script = script;
      this.keys = keys;
      this.arguments = arguments;
      this.answer = script.sendDigest(link.commands(), keys, arguments);
    }

    /**
     * Waits for the answer.
     *
     * @throws StoreException as {@link Trouble} says
     */
    T await() {
      try {
        return get(answer);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof RedisNoScriptException)) {
          throw Trouble.of(e.getCause());
        }
        return Calls.this.await(script.sendText(link.commands(), keys, arguments));
      }
    }
  }
}
