// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import java.io.IOException;

/** A running application behind the adapter under test, on the loopback address. */
public interface Instance extends AutoCloseable {

  int port();

  @Override
  void close() throws IOException;
}
