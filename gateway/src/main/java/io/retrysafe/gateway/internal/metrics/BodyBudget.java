// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.metrics;

import io.retrysafe.http.BodyMemory;
import java.util.concurrent.atomic.AtomicLong;

/** How much memory bodies hold, all together: those of requests, or those of answers. */
public final class BodyBudget {
  private final AtomicLong held = new AtomicLong();

  /** Returns how many bytes are held now. */
  public long held() {
    return held.get();
  }

  /** Returns these bytes as a budget of {@code most}. */
  public BodyMemory budget(long most) {
    return new BodyMemory() {
      @Override
      public boolean take(int bytes) {
        return BodyBudget.this.take(bytes, most);
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

  public Share share(long most) {
    return new Share(most);
  }

  /** What one of them holds. For one thread at a time, until it is given back, which is once. */
  public final class Share implements AutoCloseable {
    private final long most;
    private final AtomicLong own = new AtomicLong();

    private Share(long most) {
      this.most = most;
    }

    /** Takes so many bytes more; false if there is no room for them. */
    public boolean take(int bytes) {
      if (!BodyBudget.this.take(bytes, most)) {
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
