// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

/** What tests of the whole gateway know about bodies that pass. */
public final class StreamedBodies {
  /** The size from which the gateway streams a body. */
  public static final int ENOUGH = PassingBody.ENOUGH;

  private StreamedBodies() {}
}
