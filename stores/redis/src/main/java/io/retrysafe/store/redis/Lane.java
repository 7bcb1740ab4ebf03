// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Combines calls of one kind: what queued up while a batch was under way is the next one. There is
 * neither a timer nor a thread: a lone call goes out at once, by its caller; whoever brings the
 * answers sends what has come meanwhile.
 *
 * <p>A batch holds the next one back only for a moment, in which a server nearby has answered. One
 * that is far away gets the next ones before, so that nobody waits for a whole round trip of
 * others.
 */
final class Lane {
  /** A batch is full when it has this many bytes; its last call may go beyond. */
  static final int MOST_BYTES = 64 * 1024;

  private static final int MOST_BATCHES = 8;
  private static final long MOMENT_NANOS = 100_000;

  private final Batch.Wire wire;
  private final int mostCalls;
  private final int mostBatches;
  private final long momentNanos;
  private final Queue<Call> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile long lastSent;

  /**
   * Makes a lane with bounds of its own.
   *
   * @param mostBatches how many may be under way at once
   * @param momentNanos how long a batch holds back the next one
   */
  Lane(Batch.Wire wire, int mostCalls, int mostBatches, long momentNanos) {
    this.wire = wire;
    this.mostCalls = mostCalls;
    this.mostBatches = mostBatches;
    this.momentNanos = momentNanos;
  }

  /**
   * Returns a lane where calls share commands.
   *
   * @param mostCalls bounds how long a command keeps everybody else from the server
   */
  static Lane of(Batch.Wire wire, int mostCalls) {
    return new Lane(wire, mostCalls, MOST_BATCHES, MOMENT_NANOS);
  }

  /** Returns a lane where every call is by itself and waits for no other. */
  static Lane ofSingles(Batch.Wire wire) {
    return new Lane(wire, 1, Integer.MAX_VALUE, 0);
  }

  /** Sends a call, now or with others as soon as a batch is back. */
  Call send(Call call) {
    queue.add(call);
    sendWaiting();
    return call;
  }

  private void sendWaiting() {
    while (!queue.isEmpty() && begin()) {
      List<Call> calls = next();
      if (calls.isEmpty()) {
        underWay.decrementAndGet();
      } else {
        lastSent = System.nanoTime();
        new Batch(wire, calls, this::end).send(false);
      }
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

  private List<Call> next() {
    List<Call> calls = new ArrayList<>();
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
    return calls;
  }
}
