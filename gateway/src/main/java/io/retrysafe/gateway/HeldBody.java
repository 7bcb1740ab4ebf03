// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.body.RequestBody;
import java.io.IOException;

/** A request's body that was read, and the memory that it holds until it is closed. */
record HeldBody(RequestBody body, Memory.Share share) implements AutoCloseable {
  /** What a caller is told whose body the disk did not take, or does not give back. */
  static final String NOT_HELD =
      "This gateway cannot hold the body on its disk just now; nothing was sent. Send the same"
          + " request again, with the same key.";

  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  @Override
  public void close() {
    share.close();
    try {
      body.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "a temporary file could not be removed", e);
    }
  }
}
