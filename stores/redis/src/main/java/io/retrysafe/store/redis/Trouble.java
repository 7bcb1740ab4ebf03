// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.StoreException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an error of Redis means for the call that met it. Scripts write only after everything that
 * can fail, so a call that the server answered with an error changed nothing.
 */
final class Trouble {
  /** It starts, fails over or moves keys: the same call will do soon. */
  private static final List<String> PASSING =
      List.of("LOADING", "BUSY ", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "MOVED", "ASK ");

  private Trouble() {}

  static StoreException of(@Nullable Throwable cause) {
    if (!(cause instanceof RedisCommandExecutionException) || cause.getMessage() == null) {
      return new NoAnswerException("Redis did not answer: " + cause, cause);
    }
    return of(cause.getMessage(), cause);
  }

  /** Returns what an error means that a script met on one of its entries. */
  static StoreException of(String message, @Nullable Throwable cause) {
    if (PASSING.stream().anyMatch(message::startsWith)) {
      return new NoAnswerException("Redis cannot answer just now: " + message, cause);
    }
    return new RefusedCallException(explained(message), cause);
  }

  private static String explained(String message) {
    if (message.contains("OOM ")) {
      return "Redis is full: raise maxmemory or lower the retention (" + message + ')';
    }
    if (message.contains("WRONGTYPE")) {
      return "something else than an entry lies under the key: another program writes there too;"
          + " give the store a namespace of its own ("
          + message
          + ')';
    }
    if (message.contains("READONLY")) {
      return "this Redis is a read-only replica: connect to the primary (" + message + ')';
    }
    return "Redis refused: " + message;
  }
}
