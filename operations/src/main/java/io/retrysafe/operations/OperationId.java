// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
import java.util.Base64;

/**
 * The id of an operation in URLs and commands. It contains scope and key, so every store finds the
 * operation without an index. It is as confidential as the key.
 *
 * @param key the operation
 */
public record OperationId(OperationKey key) {
  private static final String PREFIX = "op_";

  /** Parses the text that {@link #toString} returns. */
  public static OperationId of(String text) {
    if (!isOne(text)) {
      throw wrong(text, null);
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text.substring(PREFIX.length()));
      OperationId id = new OperationId(OperationKey.ofBytes(bytes));
      if (id.toString().equals(text)) {
        return id;
      }
      throw wrong(text, null);
    } catch (RuntimeException e) {
      throw wrong(text, e);
    }
  }

  /** Returns whether {@code text} looks like an id and not like a caller's key. */
  public static boolean isOne(String text) {
    return text.startsWith(PREFIX) && text.length() > PREFIX.length();
  }

  private static RefusedException wrong(
      String text, @org.jspecify.annotations.Nullable Throwable cause) {
    return new RefusedException(
        RefusedException.Reason.NOT_FOUND,
        "There is no operation with the id " + shortened(text) + ".",
        cause);
  }

  private static String shortened(String text) {
    return text.length() <= 40 ? text : text.substring(0, 40) + "…";
  }

  @Override
  public String toString() {
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(key.toBytes());
  }
}
