// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A queue that combines calls of one script into batches. Calls that arrive while a batch is in
 * flight form the next batch. The lane has no timer and no thread: a lone caller sends its own call
 * at once, and the thread that reads a reply sends the calls that queued up meanwhile.
 *
 * <p>A batch holds back the next one for 0.1 ms only. A nearby server has answered by then. A
 * distant server gets the next batch before it answers, so that no call waits for a whole round
 * trip of other calls.
 *
 * <p>Answers that are too large to share a reply are read through a second lane, one at a time,
 * however many callers wait for them. The others stay on the server.
 */
final class BatchLane {
  /** A batch is full when it has this many bytes; its last call may exceed the limit. */
  static final int MOST_BYTES = 64 * 1024;

  /** If the waiting calls take more than this, the lane rejects further calls. */
  static final long MOST_WAITING_BYTES = 128L << 20;

  /** What a waiting call takes in memory besides its arguments. */
  static final int CALL_BYTES = 1024;

  /** A thread that sends for others returns to its own work after this many batches. */
  private static final int MOST_IN_A_TURN = 64;

  private static final Executor NEXT_TURN = ForkJoinPool.commonPool();

  private final Batch.Transport transport;
  private final Limits limits;
  private final @Nullable BatchLane large;
  private final Queue<ScriptCall> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final ThreadLocal<Boolean> isSending = ThreadLocal.withInitial(() -> false);
  private volatile long lastSent;
  private volatile boolean isClosed;

  /**
   * The limits of a lane.
   *
   * @param calls how many calls a batch has at most; bounds how long a script blocks the server
   * @param batches how many batches are in flight at most
   * @param pauseNanos how long a batch holds back the next one
   * @param isBySlot whether a batch holds calls of one cluster slot only
   */
  record Limits(int calls, int batches, long pauseNanos, boolean isBySlot) {
    static final Limits ONE_SERVER = new Limits(128, 8, 100_000, false);
    static final Limits CLUSTER = new Limits(128, Integer.MAX_VALUE, 0, true);
    static final Limits ONE_AT_A_TIME = new Limits(1, 1, 0, false);
  }

  /**
   * Creates a lane.
   *
   * @param large the lane for large answers; null if the script has none
   */
  BatchLane(Batch.Transport transport, Limits limits, @Nullable BatchLane large) {
    this.transport = transport;
    this.limits = limits;
    this.large = large;
  }

  /** Sends a call, at once or in the next batch. */
  ScriptCall send(ScriptCall call) {
    send(List.of(call));
    return call;
  }

  /** Sends calls in as few batches as possible. */
  void send(List<ScriptCall> calls) {
    try {
      (limits.isBySlot() ? sorted(calls) : calls).forEach(this::enqueue);
      if (isClosed) {
        failWaiting();
      } else {
        sendWaiting();
      }
    } catch (Throwable e) {
      calls.forEach(call -> call.completeExceptionally(e));
    }
  }

  /** Returns the calls ordered by slot, so that those of one slot can share a batch. */
  private static List<ScriptCall> sorted(List<ScriptCall> calls) {
    return calls.stream().sorted(Comparator.comparing(ScriptCall::slot)).toList();
  }

  private void enqueue(ScriptCall call) {
    if (waitingBytes.get() > MOST_WAITING_BYTES) {
      call.completeExceptionally(new RedisException("too many calls wait for Redis"));
    } else {
      waitingBytes.addAndGet(CALL_BYTES + call.size());
      queue.add(call);
    }
  }

  private @Nullable ScriptCall dequeue() {
    ScriptCall call = queue.poll();
    if (call != null) {
      waitingBytes.addAndGet(-CALL_BYTES - call.size());
    }
    return call;
  }

  /** Fails the waiting calls and all later ones. */
  void close() {
    isClosed = true;
    failWaiting();
    if (large != null) {
      large.close();
    }
  }

  private void failWaiting() {
    for (ScriptCall call = dequeue(); call != null; call = dequeue()) {
      call.completeExceptionally(new RedisException("the store is closed"));
    }
  }

  /**
   * Sends waiting calls while the limits allow it. A batch may end while this thread is still
   * sending it, and a caller whose call ends may send the next one. This method then returns, and
   * the loop further up the stack continues. So a chain of failures cannot nest.
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
          inFlight.decrementAndGet();
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
    List<ScriptCall> calls = new ArrayList<>();
    List<Batch> batches = List.of();
    try {
      take(calls);
      batches = batches(calls);
    } catch (Throwable e) {
      calls.forEach(call -> call.completeExceptionally(e));
    }
    inFlight.addAndGet(batches.size() - 1);
    lastSent = System.nanoTime();
    for (Batch batch : batches) {
      batch.send(false);
    }
  }

  /** Makes room for one more batch, if the limits allow it. */
  private boolean begin() {
    while (true) {
      int others = inFlight.get();
      boolean isFree =
          others == 0
              || (others < limits.batches() && System.nanoTime() - lastSent >= limits.pauseNanos());
      if (!isFree) {
        return false;
      }
      if (inFlight.compareAndSet(others, others + 1)) {
        return true;
      }
    }
  }

  private void end() {
    inFlight.decrementAndGet();
    sendWaiting();
  }

  private void large(ScriptCall call) {
    if (large == null) {
      call.completeExceptionally(new RedisException("a large answer to a script that has none"));
    } else {
      call.large();
      ScriptCall unused = large.send(call);
    }
  }

  private void take(List<ScriptCall> calls) {
    int size = 0;
    while (calls.size() < limits.calls() && size < MOST_BYTES) {
      ScriptCall call = dequeue();
      if (call == null) {
        break;
      }
      if (!call.isDone()) {
        calls.add(call);
        size += call.size();
      }
    }
  }

  private List<Batch> batches(List<ScriptCall> calls) {
    if (calls.size() <= 1 || !limits.isBySlot()) {
      return calls.isEmpty() ? List.of() : List.of(batch(calls));
    }
    return bySlot(calls).stream().map(this::batch).toList();
  }

  private static Collection<List<ScriptCall>> bySlot(List<ScriptCall> calls) {
    Map<ByteBuffer, List<ScriptCall>> bySlot = new LinkedHashMap<>();
    for (ScriptCall call : calls) {
      bySlot.computeIfAbsent(call.slot(), slot -> new ArrayList<>()).add(call);
    }
    return bySlot.values();
  }

  private Batch batch(List<ScriptCall> calls) {
    return new Batch(transport, calls, this::large, this::end);
  }
}
