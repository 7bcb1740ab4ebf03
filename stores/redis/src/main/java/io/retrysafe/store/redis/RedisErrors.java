// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.StoreException;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Translates errors of Redis to exceptions of stores. Scripts write only after every command that
 * can fail, so a call that the server answered with an error changed nothing.
 */
final class RedisErrors {
  /**
   * The server starts, fails over, moves keys, misses its replicas or cannot write to its disk just
   * now. The same call can succeed later. Redis 6.2 puts a hyphen before the errors of a script.
   */
  private static final Pattern TEMPORARY =
      Pattern.compile(
          "-?(LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|MOVED|ASK|NOREPLICAS|MISCONF)\\b.*",
          Pattern.DOTALL);

  private RedisErrors() {}

  /** Returns whether the server rejects writes, because it was the primary and is a replica now. */
  static boolean isReadOnly(@Nullable String error) {
    return error != null && error.contains("READONLY");
  }

  /**
   * Returns whether another connection is needed: the server is a replica now, or the reply could
   * not be parsed, so that later replies on the connection cannot be trusted. Errors that a server
   * or the client reports are {@link RedisException}s.
   */
  static boolean needsReconnect(Throwable failure) {
    boolean isReported =
        failure instanceof RedisException
            || failure instanceof CancellationException
            || failure instanceof IOException;
    return !isReported || isReadOnly(failure.getMessage());
  }

  static StoreException of(@Nullable Throwable cause) {
    if (!(cause instanceof RedisCommandExecutionException) || cause.getMessage() == null) {
      return new NoAnswerException("Redis did not answer: " + cause, cause);
    }
    return of(cause.getMessage(), cause);
  }

  /** Returns the exception for an error that a server sent, for a command or for one call. */
  static StoreException of(String message, @Nullable Throwable cause) {
    if (isReadOnly(message)) {
      return new NoAnswerException(
          "Redis is a replica now and rejects writes. The store reconnects; if the error persists,"
              + " configure the address of the primary ("
              + message
              + ')',
          cause);
    }
    if (TEMPORARY.matcher(message).matches()) {
      return new NoAnswerException("Redis cannot run the call at the moment: " + message, cause);
    }
    return new RefusedCallException(explained(message), cause);
  }

  private static String explained(String message) {
    if (message.contains("OOM ")) {
      return "Redis is full: raise maxmemory or lower the retention (" + message + ')';
    }
    if (message.contains("WRONGTYPE")) {
      return "the key holds a value that is not an entry, so another program writes there too;"
          + " give the store a namespace of its own ("
          + message
          + ')';
    }
    return "Redis refused the call: " + message;
  }
}
