// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.store.Resolvable.Resolved;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** The answers that scripts can give for a call: numbers, byte strings, and lists of these. */
final class Replies {
  private Replies() {}

  /** Returns whether {@code claim.lua} can answer this: a fence, a grant or the held entry. */
  static boolean isClaim(Object answer) {
    return answer instanceof Long fence
        ? fence >= 0
        : isHeld(answer) || (isList(answer, "NNNN", "BB") && first(answer) == 1);
  }

  /** Returns whether {@code find.lua} can answer this. */
  static boolean isFound(Object answer) {
    return isNone(answer) || isHeld(answer);
  }

  private static boolean isHeld(Object answer) {
    return isList(answer, "NBBN", "") && first(answer) == 0;
  }

  static boolean isFlag(Object answer) {
    return answer instanceof Long flag && (flag == 0 || flag == 1);
  }

  /** Returns whether {@code step.lua} can answer this: 1, 0, or a size that is too large. */
  static boolean isStep(Object answer) {
    return answer instanceof Long size && size <= 1;
  }

  static boolean isBytes(Object answer) {
    return answer instanceof byte[];
  }

  /** Returns whether {@code resolve.lua} can answer this: the name of a result. */
  static boolean isResolved(Object answer) {
    return answer instanceof byte[] name
        && Stream.of(Resolved.values()).anyMatch(one -> one.name().equals(text(name)));
  }

  static boolean isBytesOrNone(Object answer) {
    return isNone(answer) || isBytes(answer);
  }

  /** Returns whether {@code history.lua} can answer this: six strings for each event. */
  static boolean isHistory(Object answer) {
    return isNone(answer) || isList(answer, "", "BBBBBB");
  }

  /** Returns whether {@code usage.lua} can answer this: an entry and the size of its fields. */
  static boolean isUsage(Object answer) {
    return isNone(answer) || isList(answer, "BNN", "");
  }

  /** Returns whether {@code each.lua} answered, not the step: left out, failed, or too large. */
  static boolean isNotTheSteps(Object answer) {
    return isList(answer, "", "") || isList(answer, "B", "") || isList(answer, "BN", "");
  }

  private static boolean isNone(Object answer) {
    return answer instanceof Long none && none == 0;
  }

  /**
   * Returns whether an answer is a list of the given types, N for numbers and B for byte strings.
   *
   * @param repeated the types of further elements, any number of times
   */
  private static boolean isList(Object answer, String types, String repeated) {
    if (!(answer instanceof List<?> list) || list.size() < types.length()) {
      return false;
    }
    int more = list.size() - types.length();
    if (more != 0 && (repeated.isEmpty() || more % repeated.length() != 0)) {
      return false;
    }
    for (int i = 0; i < list.size(); i++) {
      char type =
          i < types.length()
              ? types.charAt(i)
              : repeated.charAt((i - types.length()) % repeated.length());
      if (!(type == 'N' ? Long.class : byte[].class).isInstance(list.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static long first(Object answer) {
    return number((List<?>) answer, 0);
  }

  /** Returns the message of a step that failed. */
  static String error(Object answer) {
    return answer instanceof List<?> parts && parts.get(0) instanceof byte[] message
        ? text(message)
        : String.valueOf(answer);
  }

  static byte[] bytes(List<?> answer, int index) {
    return (byte[]) answer.get(index);
  }

  static long number(List<?> answer, int index) {
    return (Long) answer.get(index);
  }

  static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
