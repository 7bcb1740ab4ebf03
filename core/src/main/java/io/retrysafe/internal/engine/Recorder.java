// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Event;
import io.retrysafe.OperationKey;
import io.retrysafe.store.History;
import io.retrysafe.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes what happens to operations into the store's history, in batches off the request path.
 *
 * <p>A caller only adds to a queue, and never waits. What the store cannot take in time is dropped:
 * first the ordinary course of things, which the entry itself shows too, then the rest. {@link
 * Resolver} writes operators' actions.
 *
 * <p>Where more happens than is written, the ordinary course is only written of some operations,
 * but of those all of it; and as that is a sample anyway, it is a small one.
 */
final class Recorder {
  private static final Logger LOG = System.getLogger("io.retrysafe");
  private static final int MOST = 10_000;
  private static final int BATCH = 1_000;

  /** How much of the ordinary course a batch has at least, and twice that at most. */
  private static final int SAMPLE = BATCH / 4;

  /** The golden ratio: similar keys have similar hashes. */
  private static final int SPREAD = 0x9E3779B9;

  private static final Duration EVERY = Duration.ofMillis(200);

  /** Events that histories leave out: callers got them as answers, or they are about the store. */
  private static final Set<Event.Kind> SKIPPED =
      EnumSet.of(
          Event.Kind.CONFLICT,
          Event.Kind.NOT_COMPARED,
          Event.Kind.UNAVAILABLE,
          Event.Kind.EXPIRED_UNSETTLED,
          Event.Kind.RESOLVED,
          Event.Kind.FORGOTTEN);

  private static final Set<Event.Kind> ORDINARY =
      EnumSet.of(Event.Kind.CLAIMED, Event.Kind.COMPLETED, Event.Kind.REPLAYED);

  /** Of these only how often and from when to when is worth keeping. */
  private static final Set<Event.Kind> COUNTED =
      EnumSet.of(Event.Kind.REPLAYED, Event.Kind.MISMATCH, Event.Kind.PARKED);

  private final History history;
  private final EngineRuntime runtime;
  private final String name;
  private final Queue<Noted> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  /** How much of the ordinary course there was since the last batch, whether written or not. */
  private final AtomicInteger ordinary = new AtomicInteger();

  private final AtomicBoolean isScheduled = new AtomicBoolean();
  private final AtomicLong dropped = new AtomicLong();
  private final ReentrantLock writing = new ReentrantLock();
  private volatile boolean isFinished;

  /** How many events were lost since the store last took some. Guarded by {@link #writing}. */
  private long failed;

  /** Of so many operations one is written; a power of two, so that smaller samples are nested. */
  private volatile int oneIn = 1;

  Recorder(History history, EngineRuntime runtime, String name) {
    this.history = history;
    this.runtime = runtime;
    this.name = name;
  }

  private record Noted(Event event, Instant at) {
    /** What events that are counted have in common. */
    private record Same(Event.Kind kind, OperationKey key) {}

    Object sameness() {
      return COUNTED.contains(event.kind()) ? new Same(event.kind(), event.key()) : this;
    }
  }

  void note(Event event) {
    if (isFinished || SKIPPED.contains(event.kind())) {
      return;
    }
    int bound = MOST;
    if (ORDINARY.contains(event.kind())) {
      bound = MOST / 2;
      ordinary.incrementAndGet();
      if (!isInSample(event.key())) {
        dropped.incrementAndGet();
        return;
      }
    }
    if (waiting.incrementAndGet() > bound) {
      waiting.decrementAndGet();
      dropped.incrementAndGet();
      return;
    }
    queue.add(new Noted(event, runtime.now()));
    schedule();
  }

  /** Returns how many events were dropped so far. */
  long dropped() {
    return dropped.get();
  }

  private void schedule() {
    if (!isScheduled.get() && isScheduled.compareAndSet(false, true)) {
      runtime.after(EVERY, this::write);
    }
  }

  private void write() {
    try {
      int count = ordinary.getAndSet(0);
      oneIn = count <= BATCH ? 1 : Integer.highestOneBit(count / SAMPLE);
      writeBatch();
    } finally {
      isScheduled.set(false);
      // Once more after the last of many, so that whatever comes then is written again.
      if (!queue.isEmpty() || oneIn > 1) {
        schedule();
      }
    }
  }

  private boolean isInSample(OperationKey key) {
    int one = oneIn;
    return one == 1 || (((key.hashCode() * SPREAD) >>> 16) & (one - 1)) == 0;
  }

  /**
   * Writes what is waiting, for at most about {@code deadline}, after the batch that may be under
   * way: nothing is written any more when this returns.
   */
  void finish(Duration deadline) {
    isFinished = true;
    long start = runtime.nanos();
    for (int i = 0; i < MOST / BATCH && !queue.isEmpty(); i++) {
      if (runtime.nanos() - start >= deadline.toNanos()) {
        break;
      }
      writeBatch();
    }
    queue.clear();
    // Nothing is left: this only waits for its turn.
    writeBatch();
  }

  private void writeBatch() {
    writing.lock();
    try {
      writeOne();
    } finally {
      writing.unlock();
    }
  }

  private void writeOne() {
    Map<Object, List<Noted>> groups = new LinkedHashMap<>();
    int taken = 0;
    while (taken < BATCH) {
      Noted noted = queue.poll();
      if (noted == null) {
        break;
      }
      groups.computeIfAbsent(noted.sameness(), same -> new ArrayList<>(1)).add(noted);
      taken++;
    }
    waiting.addAndGet(-taken);
    if (taken == 0) {
      return;
    }
    try {
      history.append(events(groups.values()));
      written();
    } catch (Throwable e) {
      // Not tried again: a store in trouble has better things to do.
      dropped.addAndGet(taken);
      if (failed == 0 && !(e instanceof StoreException)) {
        LOG.log(Level.WARNING, "events are not written to the history: " + e);
      }
      failed += taken;
    }
  }

  private void written() {
    if (failed > 0) {
      LOG.log(Level.INFO, failed + " events were not written to the history");
      failed = 0;
    }
  }

  private List<History.Event> events(Collection<List<Noted>> groups) {
    List<History.Event> events = new ArrayList<>();
    for (List<Noted> group : groups) {
      Noted first = group.get(0);
      Noted last = group.get(group.size() - 1);
      events.add(
          new History.Event(
              first.event.key(),
              kind(first.event),
              name,
              first.at,
              last.at,
              group.size(),
              detail(last.event)));
    }
    return events;
  }

  private static String kind(Event event) {
    boolean isUnknown = event.kind() == Event.Kind.RELEASED && event.detail().equals("UNKNOWN");
    return isUnknown ? History.UNKNOWN : event.kind().name().toLowerCase(Locale.ROOT);
  }

  private static String detail(Event event) {
    if (COUNTED.contains(event.kind())) {
      return "";
    }
    String attempt = "attempt " + event.attempt();
    if (event.kind() == Event.Kind.RELEASED) {
      return kind(event).equals(History.UNKNOWN)
          ? attempt
          : attempt + ", " + event.detail().toLowerCase(Locale.ROOT);
    }
    return event.detail().isEmpty() ? attempt : attempt + ", " + event.detail();
  }
}
