// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Combines calls of one kind: what queued up while a batch was under way is the next one. There is
 * neither a timer nor a thread: a lone call goes out at once, by its caller; whoever brings the
 * answers sends what has come meanwhile.
 *
 * <p>A batch holds the next one back only for a moment, in which a server nearby has answered. One
 * that is far away gets the next ones before, so that nobody waits for a whole round trip of
 * others.
 *
 * <p>Answers that are too large to share a reply are asked for in a lane of their own, one at a
 * time, however many callers wait for such: what is not needed yet stays on the server.
 */
final class Lane {
  /** A batch is full when it has this many bytes; its last call may go beyond. */
  static final int MOST_BYTES = 64 * 1024;

  private static final int MOST_BATCHES = 8;
  private static final long MOMENT_NANOS = 100_000;

  /** A thread that sends for others goes back to its own work after this many batches. */
  private static final int MOST_IN_A_TURN = 64;

  private static final Executor NEXT_TURN = ForkJoinPool.commonPool();

  private final Batch.Wire wire;
  private final int mostCalls;
  private final int mostBatches;
  private final long momentNanos;
  private final @Nullable Lane large;
  private final Queue<Call> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger underWay = new AtomicInteger();
  private final ThreadLocal<Boolean> isSending = ThreadLocal.withInitial(() -> false);
  private volatile long lastSent;
  private volatile boolean isClosed;

  /**
   * Makes a lane with bounds of its own.
   *
   * @param mostBatches how many may be under way at once
   * @param momentNanos how long a batch holds back the next one
   * @param large where to ask for large answers; null where there are none
   */
  Lane(Batch.Wire wire, int mostCalls, int mostBatches, long momentNanos, @Nullable Lane large) {
    this.wire = wire;
    this.mostCalls = mostCalls;
    this.mostBatches = mostBatches;
    this.momentNanos = momentNanos;
    this.large = large;
  }

  /**
   * Returns a lane where calls share commands.
   *
   * @param mostCalls bounds how long a command keeps everybody else from the server
   */
  static Lane of(Batch.Wire wire, int mostCalls, @Nullable Lane large) {
    return new Lane(wire, mostCalls, MOST_BATCHES, MOMENT_NANOS, large);
  }

  /** Returns a lane where every call is by itself and waits for no other. */
  static Lane ofSingles(Batch.Wire wire, @Nullable Lane large) {
    return new Lane(wire, 1, Integer.MAX_VALUE, 0, large);
  }

  /** Returns a lane for large answers, where one call is under way at a time. */
  static Lane ofLarge(Batch.Wire wire) {
    return new Lane(wire, 1, 1, 0, null);
  }

  /** Sends a call, now or with others as soon as a batch is back. */
  Call send(Call call) {
    try {
      queue.add(call);
      if (isClosed) {
        failWaiting();
      } else {
        sendWaiting();
      }
    } catch (Throwable e) {
      call.completeExceptionally(e);
    }
    return call;
  }

  /** Fails the calls that wait, and all that come later. */
  void close() {
    isClosed = true;
    failWaiting();
    if (large != null) {
      large.close();
    }
  }

  private void failWaiting() {
    for (Call call = queue.poll(); call != null; call = queue.poll()) {
      call.completeExceptionally(new RedisException("the store is closed"));
    }
  }

  /**
   * Sends what waits, as far as there is room. A batch may end before its sending does, and a
   * caller whose call it ends may send the next one: then this thread is here already, further up,
   * and goes on there. So no chain of failures can nest.
   */
  private void sendWaiting() {
    if (isSending.get()) {
      return;
    }
    isSending.set(true);
    boolean isTurnOver = false;
    try {
      for (int sent = 0; !isTurnOver && !queue.isEmpty() && begin(); sent++) {
        if (sent < MOST_IN_A_TURN) {
          sendNext();
        } else {
          underWay.decrementAndGet();
          isTurnOver = true;
        }
      }
    } finally {
      isSending.remove();
    }
    if (isTurnOver) {
      NEXT_TURN.execute(this::sendWaiting);
    }
  }

  private void sendNext() {
    List<Call> calls = new ArrayList<>();
    Batch batch = null;
    try {
      take(calls);
      batch = calls.isEmpty() ? null : new Batch(wire, calls, this::large, this::end);
    } catch (Throwable e) {
      calls.forEach(call -> call.completeExceptionally(e));
    } finally {
      if (batch == null) {
        underWay.decrementAndGet();
      }
    }
    if (batch != null) {
      lastSent = System.nanoTime();
      batch.send(false);
    }
  }

  private boolean begin() {
    while (true) {
      int others = underWay.get();
      boolean isFree =
          others == 0 || (others < mostBatches && System.nanoTime() - lastSent >= momentNanos);
      if (!isFree) {
        return false;
      }
      if (underWay.compareAndSet(others, others + 1)) {
        return true;
      }
    }
  }

  private void end() {
    underWay.decrementAndGet();
    sendWaiting();
  }

  private void large(Call call) {
    if (large == null) {
      call.completeExceptionally(new RedisException("a large answer where there can be none"));
    } else {
      call.large();
      Call unused = large.send(call);
    }
  }

  private void take(List<Call> calls) {
    int size = 0;
    while (calls.size() < mostCalls && size < MOST_BYTES) {
      Call call = queue.poll();
      if (call == null) {
        break;
      }
      if (!call.isDone()) {
        calls.add(call);
        size += call.size();
      }
    }
  }
}
