// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.RequestBody;
import java.io.IOException;

/** A request's body that was read, and the memory that it holds until it is closed. */
record HeldBody(RequestBody body, Memory.Share share) implements AutoCloseable {
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
