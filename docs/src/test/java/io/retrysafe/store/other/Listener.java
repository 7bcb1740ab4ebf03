// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.other;

/** Another store, to be seen by the wrong one. */
public final class Listener {
  public Object hear(Object what) {
    return what;
  }
}
