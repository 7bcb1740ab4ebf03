// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are sent as one command. Each gets its own answer; where the command has none, all of
 * them have none. Callers who give up do not disturb the others: only a command that nobody waits
 * for any more is cancelled, and so not sent again when the connection comes back.
 */
final class Batch {
  private final Wire wire;
  private final List<Call> calls;
  private final Runnable end;
  private volatile @Nullable RedisFuture<List<Object>> sent;

  /**
   * Puts calls together, which then leave it together.
   *
   * @param end is run once, when no part of the batch is under way any more
   */
  Batch(Wire wire, List<Call> calls, Runnable end) {
    this.wire = wire;
    this.calls = calls;
    this.end = end;
    calls.forEach(call -> call.joined(this));
  }

  /** How a batch is put to the server. */
  interface Wire {
    /**
     * Sends the calls as one command.
     *
     * @param inFull whether the server has forgotten what it had learnt
     * @return an answer for each call; an empty list for one that is to be asked again
     */
    RedisFuture<List<Object>> send(List<Call> calls, boolean inFull);
  }

  void send(boolean inFull) {
    try {
      RedisFuture<List<Object>> command = wire.send(calls, inFull);
      sent = command;
      command.whenComplete((answers, failure) -> ended(answers, failure, inFull));
    } catch (RuntimeException e) {
      // Whatever it is: the others of the batch must not wait for what will not come.
      fail(e);
      return;
    }
    // Whoever gave up before it was sent could not cancel it.
    cancelIfAbandoned();
  }

  void cancelIfAbandoned() {
    RedisFuture<List<Object>> command = sent;
    if (command != null && calls.stream().allMatch(Call::isDone)) {
      command.cancel(true);
    }
  }

  private void ended(@Nullable List<Object> answers, @Nullable Throwable failure, boolean inFull) {
    if (answers != null && answers.size() == calls.size()) {
      answer(answers);
    } else if (failure instanceof RedisNoScriptException && !inFull) {
      send(true);
    } else {
      fail(failure == null ? new RedisException("not an answer for each call") : failure);
    }
  }

  private void fail(Throwable failure) {
    calls.forEach(call -> call.completeExceptionally(failure));
    end.run();
  }

  private void answer(List<Object> answers) {
    List<Call> leftOut = new ArrayList<>(0);
    for (int i = 0; i < calls.size(); i++) {
      Object answer = answers.get(i);
      if (answer instanceof List<?> parts && parts.isEmpty()) {
        leftOut.add(calls.get(i));
      } else {
        calls.get(i).complete(answer);
      }
    }
    if (leftOut.isEmpty()) {
      end.run();
    } else {
      new Batch(wire, leftOut, end).send(false);
    }
  }
}
