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
 * <p>A batch that fails changed nothing that its callers know of; each of them then asks alone.
 */
final class Lane implements Runnable {
  /** Bounds how long a batch takes, and with it how long the next callers wait. */
  private static final int LARGEST_BATCH = 500;

  private final Sessions sessions;
  private final Dialect dialect;
  private final @Nullable Arrayed arrayed;
  private final Duration timeout;
  private final Thread thread;
  private final Gathering gathering = new Gathering(System::nanoTime, LockSupport::parkNanos);
  private final ConcurrentLinkedQueue<Call<?>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean taken = new AtomicBoolean();
  private volatile boolean parked;
  private volatile boolean closed;
  private volatile List<Call<?>> underWay = List.of();

  /** Belongs to whoever took the lane. */
  private @Nullable Session session;

  Lane(
      Sessions sessions, Dialect dialect, @Nullable Arrayed arrayed, Duration timeout, int number) {
    this.sessions = sessions;
    this.dialect = dialect;
    this.arrayed = arrayed;
    this.timeout = timeout;
    this.thread = new Thread(this, "retrysafe-lane-" + number);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Sends a call on its way, without waiting for others. */
  void submit(Call<?> call) {
    queue.add(call);
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
  void put(Call<?> call) {
    if (dialect.hasOneWriter() || !queue.isEmpty() || !taken.compareAndSet(false, true)) {
      submit(call);
      return;
    }
    try {
      put(List.of(call));
    } finally {
      taken.set(false);
      if (!queue.isEmpty() || closed) {
        LockSupport.unpark(thread);
      }
    }
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
    while (take()) {
      for (List<Call<?>> batch = next(); !batch.isEmpty(); batch = next()) {
        if (closed) {
          batch.forEach(Lane::refuse);
        } else {
          put(batch);
        }
      }
      taken.set(false);
    }
    // The lane stays taken: nobody else gets the session any more.
    if (session != null) {
      session.close();
    }
    refuseAll();
  }

  /** Takes the lane once there is something to do, and returns whether that is calls. */
  private boolean take() {
    while (true) {
      parked = true;
      while ((queue.isEmpty() && !closed) || taken.get()) {
        LockSupport.park(this);
      }
      parked = false;
      if (taken.compareAndSet(false, true)) {
        return !closed;
      }
    }
  }

  private List<Call<?>> next() {
    List<Call<?>> batch = new ArrayList<>();
    gathering.gather(batch, () -> fill(batch));
    // In one order everywhere, so that batches of several processes cannot deadlock.
    batch.sort(Comparator.comparing(Call::id));
    return batch;
  }

  private void fill(List<Call<?>> batch) {
    while (batch.size() < LARGEST_BATCH) {
      Call<?> call = queue.poll();
      if (call == null) {
        return;
      }
      if (!call.isOver()) {
        batch.add(call);
      }
    }
  }

  /** Gives up on calls that are too late, wherever they are. */
  void look(long now) {
    queue.forEach(call -> call.look(now));
    underWay.forEach(call -> call.look(now));
  }

  private void put(List<Call<?>> batch) {
    underWay = batch;
    try {
      if (session == null) {
        session = sessions.open(Call.deadline(timeout));
      }
      if (batch.size() == 1) {
        batch.get(0).ask(session);
      } else if (arrayed != null) {
        arrayed.run(session, batch);
      } else {
        inOneTransaction(session, batch);
      }
    } catch (SQLException | RuntimeException e) {
      boolean spared = e instanceof SQLException sql && Trouble.of(sql, dialect).sparesConnection();
      if (!spared && session != null) {
        session.close();
        session = null;
      }
      batch.forEach(call -> fail(call, e));
    } finally {
      underWay = List.of();
    }
  }

  private void refuseAll() {
    for (Call<?> call = queue.poll(); call != null; call = queue.poll()) {
      refuse(call);
    }
  }

  private static void refuse(Call<?> call) {
    fail(call, new IllegalStateException("the store is closed"));
  }

  /** Completions are sent together; claims one by one, because each has a row to answer with. */
  private static void inOneTransaction(Session session, List<Call<?>> batch) throws SQLException {
    List<Call<?>> completions =
        batch.stream().filter(call -> call.question() instanceof Completing).toList();
    List<Runnable> replies = new ArrayList<>();
    session.atomically(
        own -> {
          for (Call<?> call : batch) {
            if (completions.size() < 2 || !(call.question() instanceof Completing)) {
              replies.add(asked(own, call));
            }
          }
          if (completions.size() > 1) {
            replies.add(completed(own, completions));
          }
          return batch.size();
        });
    // Only now is it durable.
    replies.forEach(Runnable::run);
  }

  private static <T> Runnable asked(Session session, Call<T> call) throws SQLException {
    Reply<T> reply = call.question().ask(session);
    return () -> call.reply(reply);
  }

  @SuppressWarnings("unchecked") // completions are calls that wait for true or false
  private static Runnable completed(Session session, List<Call<?>> calls) throws SQLException {
    List<Completing> completions =
        calls.stream().map(call -> (Completing) call.question()).toList();
    List<Reply<Boolean>> replies = Completing.ask(session, completions);
    return () -> {
      for (int i = 0; i < calls.size(); i++) {
        ((Call<Boolean>) calls.get(i)).reply(replies.get(i));
      }
    };
  }

  private static <T> void fail(Call<T> call, Exception error) {
    call.reply(new Reply.Failed<>(error));
  }
}
