// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.other;

import io.retrysafe.store.other.internal.Secret;
import io.retrysafe.store.wrong.Gossip;

/** Another store, to be seen by the wrong one, which it sees too. */
public final class Listener {
  public boolean knows(Object what) {
    return what instanceof Gossip || what instanceof Secret;
  }

  public Object hear(Object what) {
    return what;
  }
}
