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
 * Calls that are sent as one command. Each call gets its own answer; if the command gets no reply,
 * no call gets an answer. A caller that gives up does not affect the others: the command is
 * cancelled only when no caller waits for it any more.
 *
 * <p>If a reply does not match the calls, none of them gets an answer and the connection is closed.
 * Whatever is thrown on the way, including an {@code Error}, ends the batch: its callers get no
 * answer, and the lane continues.
 */
final class Batch {
  private final Transport transport;
  private final List<ScriptCall> calls;
  private final Consumer<ScriptCall> large;
  private final Runnable end;
  private volatile @Nullable RedisFuture<List<Object>> sent;

  /**
   * Creates a batch.
   *
   * @param large receives calls whose answer is too large to share a reply
   * @param end runs once, when no part of the batch is in flight any more
   */
  Batch(Transport transport, List<ScriptCall> calls, Consumer<ScriptCall> large, Runnable end) {
    this.transport = transport;
    this.calls = calls;
    this.large = large;
    this.end = end;
    calls.forEach(call -> call.joined(this));
  }

  /** Sends batches as commands and checks their replies. */
  interface Transport {
    /**
     * Sends the calls as one command.
     *
     * @param isFullText whether to send the script's text, because the server lost it
     */
    RedisFuture<List<Object>> send(List<ScriptCall> calls, boolean isFullText);

    /**
     * Returns an answer for each call. An empty list means "ask again", a list of one is an error,
     * and a list of two announces a large answer.
     *
     * @throws IllegalStateException if the reply does not match the calls
     */
    List<Object> answers(List<ScriptCall> calls, List<Object> reply);

    /** Closes the connection, so that the client opens another one. */
    void reconnect();
  }

  void send(boolean isFullText) {
    try {
      RedisFuture<List<Object>> command = transport.send(calls, isFullText);
      sent = command;
      command.whenComplete((reply, failure) -> ended(reply, failure, isFullText));
    } catch (Throwable e) {
      fail(e);
      return;
    }
    // A caller that gave up before the command was sent could not cancel it.
    cancelIfAbandoned();
  }

  void cancelIfAbandoned() {
    RedisFuture<List<Object>> command = sent;
    if (command != null && calls.stream().allMatch(ScriptCall::isDone)) {
      command.cancel(true);
    }
  }

  private void ended(
      @Nullable List<Object> reply, @Nullable Throwable failure, boolean isFullText) {
    if (failure instanceof RedisNoScriptException && !isFullText) {
      send(true);
      return;
    }
    List<ScriptCall> leftOut;
    try {
      if (failure != null) {
        reconnectIf(RedisErrors.needsReconnect(failure));
        throw failure;
      }
      leftOut = answer(reply == null ? List.of() : reply);
    } catch (Throwable e) {
      fail(e);
      return;
    }
    if (leftOut.isEmpty()) {
      end.run();
    } else {
      new Batch(transport, leftOut, large, end).send(false);
    }
  }

  private void fail(Throwable failure) {
    try {
      calls.forEach(call -> call.completeExceptionally(failure));
    } finally {
      end.run();
    }
  }

  /** Passes on the answers and returns the calls that have to be sent again. */
  private List<ScriptCall> answer(List<Object> reply) {
    List<Object> answers;
    try {
      answers = transport.answers(calls, reply);
    } catch (RuntimeException e) {
      transport.reconnect();
      throw new RedisException("Redis sent a reply that does not match its command", e);
    }
    List<ScriptCall> leftOut = new ArrayList<>(0);
    for (int i = 0; i < answers.size(); i++) {
      ScriptCall call = calls.get(i);
      Object answer = answers.get(i);
      int parts = answer instanceof List<?> list ? list.size() : Integer.MAX_VALUE;
      switch (parts) {
        case 0 -> leftOut.add(call);
        case 2 -> large.accept(call);
        default -> {
          reconnectIf(parts == 1 && RedisErrors.isReadOnly(Replies.error(answer)));
          call.complete(answer);
        }
      }
    }
    return leftOut;
  }

  private void reconnectIf(boolean isNeeded) {
    if (isNeeded) {
      transport.reconnect();
    }
  }
}
