// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.metrics;

import io.retrysafe.http.body.BodyMemory;
import java.util.concurrent.atomic.AtomicLong;

/** The memory that all request bodies, or all answers, hold together. */
public final class BodyBudget {
  private final AtomicLong held = new AtomicLong();

  /** Returns how many bytes are held now. */
  public long held() {
    return held.get();
  }

  /** Returns a view of this budget, limited to {@code most} bytes. */
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

  /** The memory that one body holds. One thread at a time may use it. */
  public final class Share implements AutoCloseable {
    private final long most;
    private final AtomicLong own = new AtomicLong();

    private Share(long most) {
      this.most = most;
    }

    /** Takes more bytes; returns false if the budget has no room for them. */
    public boolean take(int bytes) {
      if (!BodyBudget.this.take(bytes, most)) {
        return false;
      }
      own.addAndGet(bytes);
      return true;
    }

    /** Gives the memory back. */
    @Override
    public void close() {
      held.addAndGet(-own.getAndSet(0));
    }
  }
}
