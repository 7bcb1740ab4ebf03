// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

/** The end of an actor whose process is gone: nothing that it still tries reaches the world. */
final class Crashed extends Error {
  private static final long serialVersionUID = 1L;

  Crashed() {
    super("crashed", null, false, false);
  }
}
