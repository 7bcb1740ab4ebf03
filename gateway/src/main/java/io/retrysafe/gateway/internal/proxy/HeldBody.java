// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.gateway.internal.metrics.BodyBudget;
import io.retrysafe.http.body.RequestBody;
import java.io.IOException;

/** The body of a request after it was read, and the memory that it holds until it is closed. */
record HeldBody(RequestBody body, BodyBudget.Share share) implements AutoCloseable {
  /** The detail of the answer if the disk fails. */
  static final String NOT_HELD =
      "This gateway cannot store the body on its disk now; nothing was sent. Send the same"
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
