// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Finds failures after which the effect may have happened, by type.
 *
 * <p>The outermost {@link IOException} or {@link TimeoutException} of the cause chain decides. If
 * it is a {@link ConnectException}, {@link UnknownHostException} or {@link FileSystemException},
 * nothing was sent, and its own causes only say why. A client that retries may have sent the
 * request before it could no longer connect: such clients suppress the earlier failure, so a
 * suppressed one that is unknown makes the whole failure unknown.
 */
public final class UnknownFailures {
  private UnknownFailures() {}

  public static boolean isUnknown(Throwable failure) {
    return isUnknown(failure, Collections.newSetFromMap(new IdentityHashMap<>()));
  }

  /** Visits each throwable once: cause chains may have cycles. */
  private static boolean isUnknown(Throwable failure, Set<Throwable> visited) {
    @Nullable Throwable each = failure;
    while (each != null && visited.add(each)) {
      if (each instanceof TimeoutException) {
        return true;
      }
      if (each instanceof IOException) {
        return !isNeverSent(each) || isAnySuppressedUnknown(each, visited);
      }
      each = each.getCause();
    }
    return false;
  }

  private static boolean isNeverSent(Throwable failure) {
    return failure instanceof ConnectException
        || failure instanceof UnknownHostException
        || failure instanceof FileSystemException;
  }

  private static boolean isAnySuppressedUnknown(Throwable failure, Set<Throwable> visited) {
    for (Throwable each : failure.getSuppressed()) {
      if (isUnknown(each, visited)) {
        return true;
      }
    }
    return false;
  }
}
