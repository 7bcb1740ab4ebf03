// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A session that combines calls: what queued up while the last batch was under way is the next one.
 * A lone call goes out at once; only {@link Gathering under load} a batch waits for more.
 *
 * <p>Whoever takes the lane has the session: a caller who finds it free puts its own call, with no
 * other thread in between; what comes meanwhile is put by the lane's thread, batch after batch,
 * until nothing is left.
 *
 * <p>A batch that fails changed nothing that its callers know of; each of them then asks alone. If
 * the values of one call are to blame, all calls of the batch go to the lane for isolation: its
 * batches become smaller until the call is alone, which then is refused. From then on the calls of
 * its scope go there at once, so that the batches of the others stay whole.
 *
 * <p>Whatever is thrown, by the driver or here, the lane answers the callers and continues: no
 * other lane takes its keys.
 */
final class BatchLane implements Runnable {
  /** Bounds how long a batch takes, and with it how long the next callers wait. */
  private static final int LARGEST_BATCH = 500;

  /** Bounds the memory that a batch takes, here and in the driver. */
  private static final long MOST_BYTES = 4 * 1024 * 1024;

  private static final int SHRINKING = 4;
  private static final long PAUSE = Duration.ofMillis(10).toNanos();

  private final SessionPool sessions;
  private final Dialect dialect;
  private final BatchStatements batching;
  private final Quarantine quarantine;

  /** The lane for batches with a call that is refused; null if that is this one. */
  private final @Nullable BatchLane isolation;

  private final Duration timeout;
  private final Thread thread;
  private final Gathering gathering = new Gathering(System::nanoTime, LockSupport::parkNanos);
  private final ConcurrentLinkedQueue<PendingRequest<?>> queue = new ConcurrentLinkedQueue<>();

  /** Calls that must not wait behind the others. Each goes out by itself. */
  private final ConcurrentLinkedQueue<PendingRequest<?>> first = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean taken = new AtomicBoolean();
  private volatile boolean parked;
  private volatile boolean closed;
  private volatile List<PendingRequest<?>> underWay = List.of();

  /** Belongs to whoever took the lane. */
  private @Nullable Session session;

  private int failovers;
  private int largestBatch = LARGEST_BATCH;

  BatchLane(
      SessionPool sessions,
      Dialect dialect,
      BatchStatements batching,
      Quarantine quarantine,
      @Nullable BatchLane isolation,
      Duration timeout,
      String name) {
    this.sessions = sessions;
    this.dialect = dialect;
    this.batching = batching;
    this.quarantine = quarantine;
    this.isolation = isolation;
    this.timeout = timeout;
    this.thread = new Thread(this, "retrysafe-lane-" + name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Sends a call on its way, without waiting for others. */
  void submit(PendingRequest<?> call) {
    submit(call, queue);
  }

  /** Sends a call on its way before all that wait, without waiting for others. */
  void submitFirst(PendingRequest<?> call) {
    submit(call, first);
  }

  private void submit(PendingRequest<?> call, ConcurrentLinkedQueue<PendingRequest<?>> to) {
    to.add(call);
    if (closed) {
      refuseAll();
    } else if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /**
   * Puts a call, in the caller's own thread if the lane is free. SQLite's calls always go to the
   * lane's thread: they would pin a virtual one.
   */
  void put(PendingRequest<?> call) {
    if (dialect.hasOneWriter() || hasCalls() || !taken.compareAndSet(false, true)) {
      submit(call);
      return;
    }
    try {
      put(List.of(call), call.deadline());
    } finally {
      taken.set(false);
      if (hasCalls() || closed) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** Returns whether its thread runs: it does until the lane is closed. */
  boolean isAlive() {
    return thread.isAlive();
  }

  void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  /** Waits until the session is closed, or for the store's time-out if the database hangs. */
  void awaitEnd() {
    try {
      thread.join(timeout.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void run() {
    List<PendingRequest<?>> batch = new ArrayList<>(LARGEST_BATCH);
    boolean isOpen = true;
    while (isOpen) {
      take();
      try {
        isOpen = work(batch);
      } catch (Throwable e) {
        recover(batch, e);
      }
      if (isOpen) {
        taken.set(false);
      }
    }
    // The lane stays taken: nobody else gets the session any more.
    endSession(null);
    refuseAll();
  }

  /** Takes the lane once there is something to do. */
  private void take() {
    do {
      parked = true;
      while ((!hasCalls() && !closed) || taken.get()) {
        LockSupport.park(this);
      }
      parked = false;
    } while (!taken.compareAndSet(false, true));
  }

  private boolean hasCalls() {
    return !queue.isEmpty() || !first.isEmpty();
  }

  /**
   * Runs batch after batch until no call is left, and returns whether more may come.
   *
   * @param batch holds the calls that were taken from the queue, also after an error
   */
  private boolean work(List<PendingRequest<?>> batch) {
    boolean isFirst = false;
    while (true) {
      batch.clear();
      // By turns, so that neither those that come first nor the others starve.
      isFirst = !isFirst && fillFirst(batch);
      if (!isFirst) {
        gathering.gather(batch, () -> fill(batch));
      }
      if (batch.isEmpty()) {
        if (hasCalls()) {
          continue;
        }
        return !closed;
      }
      if (closed) {
        batch.forEach(BatchLane::refuse);
      } else {
        // In one order everywhere, so that batches of several processes cannot deadlock.
        batch.sort(Comparator.comparing(PendingRequest::id));
        put(List.copyOf(batch), PendingRequest.deadline(timeout));
      }
    }
  }

  private boolean fillFirst(List<PendingRequest<?>> batch) {
    for (PendingRequest<?> call = first.poll(); call != null; call = first.poll()) {
      if (!call.isOver()) {
        batch.add(call);
        return true;
      }
    }
    return false;
  }

  /** Adds calls to a batch and returns whether it takes no more. */
  private boolean fill(List<PendingRequest<?>> batch) {
    long bytes = 0;
    for (PendingRequest<?> call : batch) {
      bytes += call.question().bytes();
    }
    while (batch.size() < largestBatch) {
      PendingRequest<?> call = queue.peek();
      if (call == null) {
        return false;
      }
      bytes += call.question().bytes();
      if (bytes > MOST_BYTES && !batch.isEmpty()) {
        return true;
      }
      // Unless the store is being closed, nobody else takes it.
      if (queue.remove(call) && !call.isOver()) {
        batch.add(call);
      }
    }
    return true;
  }

  /** Gives up on calls that are too late, wherever they are. */
  void look(long now) {
    first.forEach(call -> call.look(now));
    queue.forEach(call -> call.look(now));
    underWay.forEach(call -> call.look(now));
  }

  private void put(List<PendingRequest<?>> batch, long deadline) {
    underWay = batch;
    try {
      Session ready = session(deadline);
      ready.until(deadline);
      if (batch.size() == 1) {
        batch.get(0).ask(ready);
      } else {
        batching.run(ready, batch);
      }
      if (batch.size() >= largestBatch) {
        largestBatch = Math.min(LARGEST_BATCH, 2 * largestBatch);
      }
    } catch (SQLException e) {
      if (SqlErrorKind.isOfOneCall(e, dialect)) {
        isolate(batch, e);
      } else {
        fail(batch, e);
      }
    } catch (Throwable e) {
      fail(batch, e);
    } finally {
      underWay = List.of();
    }
  }

  /** Refuses the call that is to blame for an error, or looks for it if it is one of several. */
  private void isolate(List<PendingRequest<?>> batch, SQLException error) {
    if (batch.size() == 1) {
      quarantine.add(batch.get(0).question().scope());
      refuse(batch.get(0), error);
      return;
    }
    if (isolation == null) {
      largestBatch = Math.max(1, largestBatch / SHRINKING);
    }
    for (PendingRequest<?> call : batch) {
      if (call.isOver()) {
        continue;
      }
      if (isolation != null) {
        isolation.submit(call);
      } else {
        first.add(call);
      }
    }
  }

  private static <T> void refuse(PendingRequest<T> call, SQLException error) {
    call.reply(new AttemptResult.Refused<>(error));
  }

  /** Returns the session, a new one after a failover that another call has met. */
  private Session session(long deadline) throws SQLException {
    int now = sessions.failovers();
    if (session != null && failovers != now) {
      session.cut();
      endSession(null);
    }
    if (session == null) {
      session = sessions.open(deadline);
      failovers = now;
    }
    return session;
  }

  /** Answers a batch whatever it takes: without memory the first try may fail as the batch did. */
  private void recover(List<PendingRequest<?>> batch, Throwable error) {
    while (true) {
      try {
        fail(batch, error);
        return;
      } catch (Throwable e) {
        LockSupport.parkNanos(this, PAUSE);
      }
    }
  }

  /** Answers all calls of a batch that have no reply yet. */
  private void fail(List<PendingRequest<?>> batch, Throwable error) {
    if (session != null && !sessions.spares(session, error)) {
      endSession(error);
    }
    for (PendingRequest<?> call : batch) {
      fail(call, error);
    }
  }

  private void endSession(@Nullable Throwable error) {
    Session last = session;
    session = null;
    if (last != null) {
      sessions.end(last, error);
    }
  }

  private void refuseAll() {
    for (ConcurrentLinkedQueue<PendingRequest<?>> each : List.of(first, queue)) {
      for (PendingRequest<?> call = each.poll(); call != null; call = each.poll()) {
        refuse(call);
      }
    }
  }

  private static void refuse(PendingRequest<?> call) {
    fail(call, new IllegalStateException("the store is closed"));
  }

  private static <T> void fail(PendingRequest<T> call, Throwable error) {
    call.reply(new AttemptResult.Failed<>(error));
  }
}
