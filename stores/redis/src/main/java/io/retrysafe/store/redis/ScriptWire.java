// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisFuture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

/**
 * Sends calls, which lie in one slot each, as one script, and checks what it answers: before each
 * answer stands what its call is recognised by.
 */
final class ScriptWire implements Batch.Wire {
  private final Script script;
  private final Link link;
  private final Predicate<Object> shape;
  private final byte[][] fixed;

  /**
   * Makes a wire.
   *
   * @param shape whether an answer is one that the script can give
   * @param fixed what the script has to know for all calls
   */
  ScriptWire(Script script, Link link, Predicate<Object> shape, byte[]... fixed) {
    this.script = script;
    this.link = link;
    this.shape = shape;
    this.fixed = fixed;
  }

  @Override
  public RedisFuture<List<Object>> send(List<Call> calls, boolean inFull) {
    List<byte[]> keys = new ArrayList<>(2 * calls.size());
    List<byte[]> arguments = new ArrayList<>(fixed.length + 4 * calls.size());
    Collections.addAll(arguments, fixed);
    for (Call call : calls) {
      Collections.addAll(keys, call.keys());
      Collections.addAll(arguments, call.arguments());
    }
    return script.send(
        link.connection(), inFull, keys.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
  }

  @Override
  public List<Object> answers(List<Call> calls, List<Object> reply) {
    if (reply.size() != 2 * calls.size()) {
      throw new IllegalStateException(
          "Redis answered " + reply.size() + " parts to " + calls.size() + " calls");
    }
    List<Object> answers = new ArrayList<>(calls.size());
    for (int i = 0; i < calls.size(); i++) {
      boolean isItsOwn =
          reply.get(2 * i) instanceof byte[] tag && Arrays.equals(tag, calls.get(i).tag());
      Object answer = reply.get(2 * i + 1);
      if (!isItsOwn || !(isLeftOut(answer) || shape.test(answer))) {
        throw new IllegalStateException("Redis answered something else to call " + i);
      }
      answers.add(answer);
    }
    return answers;
  }

  /** Returns whether an answer is what the frame of all scripts gives instead of a step's own. */
  private static boolean isLeftOut(Object answer) {
    if (!(answer instanceof List<?> parts) || parts.size() > 2) {
      return false;
    }
    return parts.isEmpty()
        || (parts.get(0) instanceof byte[] && (parts.size() == 1 || parts.get(1) instanceof Long));
  }

  @Override
  public void reconnect() {
    link.reconnect();
  }
}
