// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.body.BodyMemory;
import java.util.concurrent.atomic.AtomicLong;

/** How much memory bodies hold, all together: those of requests, or those of answers. */
final class Memory {
  private final AtomicLong held = new AtomicLong();

  long held() {
    return held.get();
  }

  /** Returns these bytes as a budget of {@code most}. */
  BodyMemory budget(long most) {
    return new BodyMemory() {
      @Override
      public boolean take(int bytes) {
        return Memory.this.take(bytes, most);
      }

      @Override
      public void giveBack(int bytes) {
        held.addAndGet(-bytes);
      }
    };
  }

  private boolean take(int bytes, long most) {
    if (held.addAndGet(bytes) > most) {
      held.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  Share share(long most) {
    return new Share(most);
  }

  /** What one of them holds. For one thread at a time, until it is given back, which is once. */
  final class Share implements AutoCloseable {
    private final long most;
    private final AtomicLong own = new AtomicLong();

    private Share(long most) {
      this.most = most;
    }

    /** Takes so many bytes more; false if there is no room for them. */
    boolean take(int bytes) {
      if (!Memory.this.take(bytes, most)) {
        return false;
      }
      own.addAndGet(bytes);
      return true;
    }

    /** Gives back what was taken. */
    @Override
    public void close() {
      held.addAndGet(-own.getAndSet(0));
    }
  }
}
