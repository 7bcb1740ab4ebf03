// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are sent as one command. Each gets its own answer; where the command has none, all of
 * them have none. Callers who give up do not disturb the others: only a command that nobody waits
 * for any more is cancelled.
 *
 * <p>A reply that does not fit the calls is no answer for any of them, and its connection is
 * closed. Whatever is thrown on the way, an {@code Error} too, ends the batch: its callers get no
 * answer, and the next batch can go.
 */
final class Batch {
  private final Wire wire;
  private final List<Call> calls;
  private final Consumer<Call> large;
  private final Runnable end;
  private volatile @Nullable RedisFuture<List<Object>> sent;

  /**
   * Puts calls together, which then leave it together.
   *
   * @param large takes calls whose answer is too large to share a reply
   * @param end is run once, when no part of the batch is under way any more
   */
  Batch(Wire wire, List<Call> calls, Consumer<Call> large, Runnable end) {
    this.wire = wire;
    this.calls = calls;
    this.large = large;
    this.end = end;
    calls.forEach(call -> call.joined(this));
  }

  /** How a batch is put to the server. */
  interface Wire {
    /**
     * Sends the calls as one command.
     *
     * @param inFull whether the server has forgotten what it had learnt
     */
    RedisFuture<List<Object>> send(List<Call> calls, boolean inFull);

    /**
     * Returns an answer for each call: an empty list for one that is to be asked again, a list of
     * one for an error, a list of two for one whose answer is large.
     *
     * @throws IllegalStateException if the reply is not one to these calls
     */
    default List<Object> answers(List<Call> calls, List<Object> reply) {
      if (reply.size() != calls.size()) {
        throw new IllegalStateException(
            "Redis answered " + reply.size() + " parts to " + calls.size() + " calls");
      }
      return reply;
    }

    /** Closes the connection, to go on with another one. */
    default void reconnect() {}
  }

  void send(boolean inFull) {
    try {
      RedisFuture<List<Object>> command = wire.send(calls, inFull);
      sent = command;
      command.whenComplete((reply, failure) -> ended(reply, failure, inFull));
    } catch (Throwable e) {
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

  private void ended(@Nullable List<Object> reply, @Nullable Throwable failure, boolean inFull) {
    if (failure instanceof RedisNoScriptException && !inFull) {
      send(true);
      return;
    }
    @Nullable Batch rest;
    try {
      List<Call> leftOut = failure == null ? answer(reply) : refuse(failure);
      rest = leftOut.isEmpty() ? null : new Batch(wire, leftOut, large, end);
    } catch (Throwable e) {
      fail(e);
      return;
    }
    if (rest == null) {
      end.run();
    } else {
      rest.send(false);
    }
  }

  private List<Call> refuse(Throwable failure) {
    if (Trouble.isReadOnly(failure.getMessage()) || Trouble.isBroken(failure)) {
      wire.reconnect();
    }
    calls.forEach(call -> call.completeExceptionally(failure));
    return List.of();
  }

  private void fail(Throwable failure) {
    try {
      calls.forEach(call -> call.completeExceptionally(failure));
    } finally {
      end.run();
    }
  }

  /** Hands out the answers and returns the calls that are to be asked again. */
  private List<Call> answer(@Nullable List<Object> reply) {
    List<Object> answers;
    try {
      answers = wire.answers(calls, reply == null ? List.of() : reply);
    } catch (RuntimeException e) {
      wire.reconnect();
      throw new RedisException("Redis sent a reply that does not fit its command", e);
    }
    List<Call> leftOut = new ArrayList<>(0);
    for (int i = 0; i < answers.size(); i++) {
      Call call = calls.get(i);
      Object answer = answers.get(i);
      int parts = answer instanceof List<?> list ? list.size() : Integer.MAX_VALUE;
      switch (parts) {
        case 0 -> leftOut.add(call);
        case 2 -> large.accept(call);
        default -> {
          if (parts == 1 && Trouble.isReadOnly(Row.error(answer))) {
            wire.reconnect();
          }
          call.complete(answer);
        }
      }
    }
    return leftOut;
  }
}
