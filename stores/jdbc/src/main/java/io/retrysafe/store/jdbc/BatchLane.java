// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A session that combines requests: those that queued up while the last batch was under way are the
 * next one. A lone request goes out at once; only {@link Gathering under load} a batch waits for
 * more.
 *
 * <p>The thread that takes the lane has the session: a caller that finds it free sends its own
 * request, with no other thread in between; the lane's thread sends what comes meanwhile, batch
 * after batch, until nothing is left.
 *
 * <p>A batch that fails changed nothing that its callers know of; each of them then sends its
 * request alone. If the values of one request are to blame, all requests of the batch go to the
 * lane for isolation: its batches become smaller until the request is alone, which then is refused.
 * From then on the requests of its scope go there at once, so that the batches of the others stay
 * whole.
 *
 * <p>Whatever is thrown, by the driver or here, the lane answers the callers and continues.
 */
final class BatchLane implements Runnable {
  /** Bounds how long a batch takes, and with it how long the next callers wait. */
  private static final int LARGEST_BATCH = 500;

  /** Bounds the memory that a batch takes, here and in the driver. */
  private static final long MOST_BYTES = 4 * 1024 * 1024;

  private static final int SHRINKING = 4;
  private static final long PAUSE = Duration.ofMillis(10).toNanos();
  private static final long STALLED = Duration.ofMillis(500).toNanos();

  private final SessionPool sessions;
  private final Dialect dialect;
  private final BatchStatements statements;
  private final Quarantine quarantine;

  /** The lane for batches with a request that is refused; null if that is this one. */
  private final @Nullable BatchLane isolation;

  private final Duration timeout;
  private final Thread thread;
  private final Gathering gathering = new Gathering(System::nanoTime, LockSupport::parkNanos);
  private final ConcurrentLinkedDeque<PendingRequest<?>> queue = new ConcurrentLinkedDeque<>();
  private final AtomicBoolean taken = new AtomicBoolean();
  private volatile boolean parked;
  private volatile boolean closed;
  private volatile Batch underWay = Batch.NONE;

  /** Belongs to the thread that took the lane, as all below. */
  private @Nullable Session session;

  private int failovers;
  private int largestBatch = LARGEST_BATCH;

  /** Requests that were sent, and when. */
  private record Batch(List<PendingRequest<?>> requests, long start) {
    static final Batch NONE = new Batch(List.of(), 0);
  }

  BatchLane(
      SessionPool sessions,
      Dialect dialect,
      BatchStatements statements,
      Quarantine quarantine,
      @Nullable BatchLane isolation,
      Duration timeout,
      String name) {
    this.sessions = sessions;
    this.dialect = dialect;
    this.statements = statements;
    this.quarantine = quarantine;
    this.isolation = isolation;
    this.timeout = timeout;
    this.thread = new Thread(this, "retrysafe-lane-" + name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Queues a request, without waiting for others. */
  void submit(PendingRequest<?> request) {
    queue.addLast(request);
    wake();
  }

  /** Queues a request before all that wait, without waiting for others. */
  void submitFirst(PendingRequest<?> request) {
    queue.addFirst(request);
    wake();
  }

  private void wake() {
    if (closed) {
      refuseAll();
    } else if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /**
   * Sends a request, in the caller's own thread if the lane is free. SQLite's requests always go to
   * the lane's thread: they would pin a virtual one.
   */
  void put(PendingRequest<?> request) {
    if (dialect.hasOneWriter() || !queue.isEmpty() || !taken.compareAndSet(false, true)) {
      submit(request);
      return;
    }
    try {
      send(List.of(request), request.deadline());
    } finally {
      taken.set(false);
      if (!queue.isEmpty() || closed) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** Returns whether its thread runs: it does until the lane is closed. */
  boolean isAlive() {
    return thread.isAlive();
  }

  /** Returns whether the batch under way takes so long that its connection may hang. */
  boolean isStalled() {
    Batch batch = underWay;
    return !batch.requests.isEmpty()
        && System.nanoTime() - batch.start > Math.min(STALLED, timeout.toNanos() / 4);
  }

  /** Gives all requests that wait to another lane. */
  void moveTo(BatchLane other) {
    for (PendingRequest<?> each = queue.pollFirst(); each != null; each = queue.pollFirst()) {
      other.submit(each);
    }
  }

  /** Gives up on requests that are too late, wherever they are. */
  void expire(long now) {
    queue.forEach(each -> each.expire(now));
    underWay.requests.forEach(each -> each.expire(now));
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
    // The lane stays taken: no other thread gets the session any more.
    endSession(null);
    refuseAll();
  }

  /** Takes the lane once there is something to do. */
  private void take() {
    do {
      parked = true;
      while ((queue.isEmpty() && !closed) || taken.get()) {
        LockSupport.park(this);
      }
      parked = false;
    } while (!taken.compareAndSet(false, true));
  }

  /**
   * Runs batch after batch until no request is left, and returns whether more may come.
   *
   * @param batch holds the requests that were taken from the queue, also after an error
   */
  private boolean work(List<PendingRequest<?>> batch) {
    while (true) {
      batch.clear();
      gathering.gather(batch, () -> fill(batch));
      if (batch.isEmpty()) {
        return !closed;
      }
      if (closed) {
        batch.forEach(BatchLane::refuse);
      } else {
        // In one order everywhere, so that batches of several processes cannot deadlock.
        batch.sort(Comparator.comparing(PendingRequest::id));
        send(List.copyOf(batch), PendingRequest.deadline(timeout));
      }
    }
  }

  /** Adds requests to a batch and returns whether it takes no more. */
  private boolean fill(List<PendingRequest<?>> batch) {
    long bytes = 0;
    for (PendingRequest<?> each : batch) {
      bytes += each.request().bytes();
    }
    while (batch.size() < largestBatch) {
      PendingRequest<?> next = queue.peekFirst();
      if (next == null) {
        return false;
      }
      bytes += next.request().bytes();
      if (bytes > MOST_BYTES && !batch.isEmpty()) {
        return true;
      }
      // Another thread may move it, or refuse it because the store is closed.
      if (queue.removeFirstOccurrence(next) && !next.isOver()) {
        batch.add(next);
      }
    }
    return true;
  }

  private void send(List<PendingRequest<?>> batch, long deadline) {
    underWay = new Batch(batch, System.nanoTime());
    try {
      Session ready = session(deadline);
      ready.until(deadline);
      statements.run(ready, batch);
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
      underWay = Batch.NONE;
    }
  }

  /** Refuses the request that is to blame for an error, or looks for it if it is one of several. */
  private void isolate(List<PendingRequest<?>> batch, SQLException error) {
    if (batch.size() == 1) {
      quarantine.add(batch.get(0).request().scope());
      refuse(batch.get(0), error);
      return;
    }
    if (isolation == null) {
      largestBatch = Math.max(1, Math.min(largestBatch, batch.size()) / SHRINKING);
    }
    for (PendingRequest<?> each : batch) {
      if (!each.isOver()) {
        if (isolation == null) {
          queue.addFirst(each);
        } else {
          isolation.submit(each);
        }
      }
    }
  }

  private static <T> void refuse(PendingRequest<T> request, SQLException error) {
    request.reply(new AttemptResult.Refused<>(error));
  }

  /** Returns the session, a new one after a failover that another request has met. */
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

  /** Answers all requests of a batch that have no result yet. */
  private void fail(List<PendingRequest<?>> batch, Throwable error) {
    if (session != null && !sessions.spares(session, error)) {
      endSession(error);
    }
    for (PendingRequest<?> each : batch) {
      fail(each, error);
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
    for (PendingRequest<?> each = queue.poll(); each != null; each = queue.poll()) {
      refuse(each);
    }
  }

  private static void refuse(PendingRequest<?> request) {
    fail(request, new IllegalStateException("the store is closed"));
  }

  private static <T> void fail(PendingRequest<T> request, Throwable error) {
    request.reply(new AttemptResult.Failed<>(error));
  }
}
