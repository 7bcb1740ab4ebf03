// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * What an error of Redis means for the call that met it. Scripts write only after everything that
 * can fail, so a call that the server answered with an error changed nothing.
 */
final class Trouble {
  private static final String READ_ONLY = "READONLY";

  /** It starts, fails over or moves keys: the same call will do soon. */
  private static final List<String> PASSING =
      List.of("LOADING", "BUSY ", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "MOVED", "ASK ");

  private Trouble() {}

  /**
   * Returns whether an error says that the server takes no writes: it was the primary and is a
   * replica now. Another connection may lead to the primary of the moment.
   */
  static boolean isReadOnly(@Nullable String error) {
    return error != null && error.contains(READ_ONLY);
  }

  /**
   * Returns whether a command failed because its reply could not be read, so that what follows on
   * its connection cannot be trusted. Everything that a server or a client says by itself is a
   * {@link RedisException}.
   */
  static boolean isBroken(Throwable failure) {
    return !(failure instanceof RedisException
        || failure instanceof CancellationException
        || failure instanceof IOException);
  }

  static StoreException of(@Nullable Throwable cause) {
    if (!(cause instanceof RedisCommandExecutionException) || cause.getMessage() == null) {
      return new NoAnswerException("Redis did not answer: " + cause, cause);
    }
    return of(cause.getMessage(), cause);
  }

  /** Returns what an error means that a script met on one of its entries. */
  static StoreException of(String message, @Nullable Throwable cause) {
    if (isReadOnly(message)) {
      return new NoAnswerException(
          "Redis takes no writes: it is a replica now. The store connects again; if this does not"
              + " pass, give it the address of the primary ("
              + message
              + ')',
          cause);
    }
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
    return "Redis refused: " + message;
  }
}
