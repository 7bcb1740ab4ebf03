// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.wrong;

import io.retrysafe.Retrysafe;
import io.retrysafe.store.Steps;
import io.retrysafe.store.other.Listener;
import io.retrysafe.store.other.internal.Secret;
import java.net.http.HttpClient;

/**
 * A store that breaks every rule about stores, in a package without nullness: what the rules must
 * find.
 */
public class Gossip {
  Object tell(Listener otherStore, Retrysafe engine, HttpClient http) {
    engine.close();
    Object heard = otherStore.hear(http);
    return heard instanceof Steps || heard instanceof Secret ? engine : heard;
  }
}
