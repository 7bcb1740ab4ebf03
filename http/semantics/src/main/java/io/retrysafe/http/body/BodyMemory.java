// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.body;

import java.util.concurrent.atomic.AtomicLong;

/** A bound on the memory that all request bodies of a process take together. Thread-safe. */
public interface BodyMemory {

  /** Takes so many bytes; returns false, and takes none, if there is no room for them. */
  boolean take(int bytes);

  /** Gives back bytes that were taken. */
  void giveBack(int bytes);

  /** Returns a budget of {@code most} bytes. */
  static BodyMemory of(long most) {
    AtomicLong taken = new AtomicLong();
    return new BodyMemory() {
      @Override
      public boolean take(int bytes) {
        if (taken.addAndGet(bytes) > most) {
          taken.addAndGet(-bytes);
          return false;
        }
        return true;
      }

      @Override
      public void giveBack(int bytes) {
        taken.addAndGet(-bytes);
      }
    };
  }
}
