// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisFuture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Sends the calls of a batch as one script. The script returns the tag of each call before its
 * answer, and the reply is checked for both.
 */
final class ScriptTransport implements Batch.Transport {
  private final Script script;
  private final RedisConnection connection;
  private final byte[][] fixed;

  /**
   * Creates a transport.
   *
   * @param fixed arguments that apply to all calls
   */
  ScriptTransport(Script script, RedisConnection connection, byte[]... fixed) {
    this.script = script;
    this.connection = connection;
    this.fixed = fixed;
  }

  @Override
  public RedisFuture<List<Object>> send(List<ScriptCall> calls, boolean isFullText) {
    List<byte[]> keys = new ArrayList<>(2 * calls.size());
    List<byte[]> arguments = new ArrayList<>(fixed.length + 4 * calls.size());
    Collections.addAll(arguments, fixed);
    for (ScriptCall call : calls) {
      Collections.addAll(keys, call.keys());
      Collections.addAll(arguments, call.arguments());
    }
    return script.send(connection.commands(), isFullText, keys, arguments);
  }

  @Override
  public List<Object> answers(List<ScriptCall> calls, List<Object> reply) {
    if (reply.size() != 2 * calls.size()) {
      throw new IllegalStateException(
          "Redis returned " + reply.size() + " values for " + calls.size() + " calls");
    }
    List<Object> answers = new ArrayList<>(calls.size());
    for (int i = 0; i < calls.size(); i++) {
      Object tag = reply.get(2 * i);
      Object answer = reply.get(2 * i + 1);
      boolean isOwn = tag instanceof byte[] bytes && Arrays.equals(bytes, calls.get(i).tag());
      if (!isOwn || !(Replies.isNotTheSteps(answer) || script.canAnswer(answer))) {
        throw new IllegalStateException("Redis returned a wrong value for call " + i);
      }
      answers.add(answer);
    }
    return answers;
  }

  @Override
  public void reconnect() {
    connection.reconnect();
  }
}
