// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/*
 * Calls of one kind that a silent store still has to answer.
 *
 * Order. First come, first asked. A call without an answer goes to the end, so that one that is never answered
 * delays no other call.
 *
 * Silence. As soon as one call gets no answer the others are not tried: one call alone, a probe, is made after each of a
 * few growing pauses. The first answer, also to any other call, starts all threads of the lane again. So however much is
 * pending, a store that is down gets one call a second, and a store that is back gets everything at once.
 *
 * Bounds. By weight when a call is added, by time afterwards.
 */
final class Backlog<T extends Backlog.Item> {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final Duration PURGE = Duration.ofMinutes(1);

  private final EngineRuntime runtime;
  private final EngineRuntime.Lane lane;
  private final long most;
  private final int batch;
  private final Function<List<T>, List<T>> call;
  private final AtomicLong weight = new AtomicLong();

  /** Everything that is not over, also what waits for its time. */
  private final Set<T> pending = ConcurrentHashMap.newKeySet();

  private final Queue<T> due = new ConcurrentLinkedQueue<>();
  private final AtomicInteger working = new AtomicInteger();
  private final AtomicBoolean isProbing = new AtomicBoolean();
  private volatile boolean isSilent;
  private volatile Duration pause = FIRST_PAUSE;
  private volatile long purged;

  /** A call that has to be made. */
  abstract static class Item {
    private final long weight;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private volatile long since;

    Item(long weight) {
      this.weight = weight;
    }

    long weight() {
      return weight;
    }

    void begin(long now) {
      since = now;
    }

    long since() {
      return since;
    }

    boolean isOver() {
      return isOver.get();
    }

    boolean end() {
      return isOver.compareAndSet(false, true);
    }

    /** Ends the call without an answer: its time is over. */
    abstract void expire();
  }

  /**
   * @param most how much all calls may weigh together
   * @param batch how many are made at once
   * @param call makes calls and returns those that got no answer; it says of the others that they
   *     are {@link #over} or to be made {@link #later}
   */
  Backlog(
      EngineRuntime runtime,
      EngineRuntime.Lane lane,
      long most,
      int batch,
      Function<List<T>, List<T>> call) {
    this.runtime = runtime;
    this.lane = lane;
    this.most = most;
    this.batch = batch;
    this.call = call;
    this.purged = runtime.nanos();
  }

  /** Adds a call that is made after {@code delay}; returns false if there is no room for it. */
  boolean add(T item, Duration delay) {
    if (weight.addAndGet(item.weight()) > most) {
      weight.addAndGet(-item.weight());
      return false;
    }
    admit(item, delay);
    return true;
  }

  /** Adds a call, whether there is room or not. */
  void addAnyway(T item) {
    weight.addAndGet(item.weight());
    admit(item, Duration.ZERO);
  }

  private void admit(T item, Duration delay) {
    item.begin(runtime.nanos());
    pending.add(item);
    later(item, delay);
  }

  /** Makes a pending call after {@code delay}. */
  void later(T item, Duration delay) {
    if (delay.isZero() || delay.isNegative()) {
      due.add(item);
      work();
    } else {
      runtime.alarm(
          delay,
          () -> {
            due.add(item);
            work();
          });
    }
  }

  /** Returns whether the call was pending until now; from now on it is not. */
  boolean over(T item) {
    if (!item.end()) {
      return false;
    }
    pending.remove(item);
    weight.addAndGet(-item.weight());
    return true;
  }

  /** Makes all calls that are due, because the store answers again. */
  void wake() {
    isSilent = false;
    pause = FIRST_PAUSE;
    work();
  }

  /** Returns whether nothing is pending. */
  boolean isEmpty() {
    return pending.isEmpty();
  }

  /** Makes every pending call once more, as long as there is time. */
  void finish(Deadline deadline) {
    wake();
    List<T> some = new ArrayList<>();
    for (T item : pending) {
      some.add(item);
      if (some.size() == batch) {
        finish(some, deadline);
        some.clear();
      }
    }
    finish(some, deadline);
  }

  /** What is left of the time for the last calls. */
  interface Deadline {
    /** Runs {@code call} within the time that is left, if any is. */
    void run(Runnable call);
  }

  private void finish(List<T> some, Deadline deadline) {
    if (!some.isEmpty()) {
      deadline.run(() -> ask(List.copyOf(some)));
    }
  }

  /** Returns those that got no answer. */
  private List<T> ask(List<T> items) {
    try {
      return call.apply(items);
    } catch (Throwable e) {
      // The call itself has been reported; it is made again, whatever it threw.
      return items;
    }
  }

  /** Starts another thread's work, if there is more to do and the store answers. */
  private void work() {
    while (!isSilent && !due.isEmpty()) {
      int now = working.get();
      if (now >= lane.threads()) {
        return;
      }
      if (working.compareAndSet(now, now + 1)) {
        runtime.after(lane, Duration.ZERO, this::drain);
        return;
      }
    }
  }

  private void drain() {
    boolean isAnswered = true;
    try {
      while (isAnswered) {
        List<T> items = next();
        if (items.isEmpty()) {
          break;
        }
        isAnswered = isAnswered(items);
      }
    } finally {
      working.decrementAndGet();
      if (!isAnswered) {
        probeLater();
      }
      // A call may have come after the last look at the queue.
      work();
    }
  }

  private List<T> next() {
    // A probe is one call: what fails in a batch may fail for the sake of one of them.
    int size = isSilent ? 1 : batch;
    List<T> items = new ArrayList<>();
    while (items.size() < size) {
      T item = due.poll();
      if (item == null) {
        break;
      }
      if (!item.isOver()) {
        items.add(item);
      }
    }
    return items;
  }

  private boolean isAnswered(List<T> items) {
    List<T> left = ask(items);
    if (left.isEmpty()) {
      if (isSilent) {
        wake();
      } else {
        work();
      }
      return true;
    }
    // Before they are due again: no other thread may take them for calls to a store that answers.
    isSilent = true;
    long now = runtime.nanos();
    for (T item : left) {
      if (!expired(item, now)) {
        due.add(item);
      }
    }
    purge(now);
    return false;
  }

  private boolean expired(T item, long now) {
    if (item.isOver()) {
      return true;
    }
    if (now - item.since() <= LONGEST.toNanos()) {
      return false;
    }
    if (over(item)) {
      item.expire();
    }
    return true;
  }

  /** Those at the end are not tried for a long time while the store is silent. */
  private void purge(long now) {
    if (now - purged > PURGE.toNanos()) {
      purged = now;
      due.removeIf(item -> expired(item, now));
    }
  }

  private void probeLater() {
    if (isProbing.compareAndSet(false, true)) {
      Duration next = Pauses.spread(pause, runtime);
      pause = Pauses.longer(pause, LONGEST_PAUSE);
      runtime.after(lane, next, this::probe);
    }
  }

  private void probe() {
    isProbing.set(false);
    if (due.isEmpty()) {
      isSilent = false;
      work();
      return;
    }
    working.incrementAndGet();
    drain();
  }
}
