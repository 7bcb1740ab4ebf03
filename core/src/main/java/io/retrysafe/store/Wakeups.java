// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.OperationKey;

/**
 * A store that tells when an operation ended, in whichever process, so that a waiting duplicate
 * looks at once instead of after its next pause. It is only a hint: it may come late, twice, for
 * nothing or not at all, and whoever waits goes on asking.
 */
public interface Wakeups {

  /**
   * Runs {@code wake} soon after the key was settled or released, until the watch is closed. Does
   * not wait for the store, and never fails: a store that cannot listen just now stays silent.
   *
   * @param wake quick, and called in any thread
   */
  Watch watch(OperationKey key, Runnable wake);

  /** Somebody's interest in a key. */
  interface Watch extends AutoCloseable {

    /** Ends the interest; a last call may be under way. */
    @Override
    void close();
  }
}
