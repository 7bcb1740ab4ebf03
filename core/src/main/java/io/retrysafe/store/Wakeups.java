// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.OperationKey;

/**
 * A store that reports when an operation ended, in any process, so that a waiting duplicate looks
 * at once instead of after its next pause. It is only a hint: it may come late, twice, without
 * cause or not at all, so waiting callers keep polling.
 */
public interface Wakeups {

  /**
   * Runs {@code wake} soon after the key was settled or released, until the watch is closed. Does
   * not wait for the store, and never fails: a store that cannot listen just now stays silent.
   *
   * @param wake quick, and called in any thread
   */
  Watch watch(OperationKey key, Runnable wake);

  /** A registered interest in a key. */
  interface Watch extends AutoCloseable {

    /** Ends the watch; a last call may be under way. */
    @Override
    void close();
  }
}
