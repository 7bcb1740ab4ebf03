// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs actors one at a time, in virtual time. There is one baton: an actor that blocks looks itself
 * for the next event and hands the baton to whoever that event is for, so a thread is switched only
 * when it has to be. Threads are kept from one history to the next.
 *
 * <p>Order comes from the times of the events, and between equal times from the seed.
 */
final class Scheduler {
  /** Something that an actor blocks for. */
  static final class Wait {
    private final Actor actor;

    private Wait(Actor actor) {
      this.actor = actor;
    }
  }

  private record Event(
      long time,
      int tie,
      long number,
      @Nullable Machine owner,
      @Nullable Runnable action,
      @Nullable Runnable task,
      @Nullable Wait blocked) {}

  private final PriorityQueue<Event> queue =
      new PriorityQueue<>(
          Comparator.comparingLong(Event::time)
              .thenComparingInt(Event::tie)
              .thenComparingLong(Event::number));
  private final List<Actor> actors = new ArrayList<>();
  private final Deque<Actor> idle = new ArrayDeque<>();
  private final Actor main = new Actor(Thread.currentThread());
  private volatile Actor current = main;
  private SplittableRandom random = new SplittableRandom(0);
  private @Nullable Throwable failure;
  private long now;
  private long number;

  void reset(long seed) {
    random = new SplittableRandom(seed);
    failure = null;
    now = 0;
    number = 0;
  }

  long now() {
    return now;
  }

  /** Does {@code action} at {@code time}; it must not block. */
  void at(long time, Runnable action) {
    add(time, null, action, null, null);
  }

  /** Starts an actor of {@code owner} at {@code time}, if that is still there. */
  void start(long time, @Nullable Machine owner, Runnable task) {
    add(time, owner, null, task, null);
  }

  /** Makes ready to block. */
  Wait prepare() {
    checkAlive();
    return new Wait(current);
  }

  /** Resumes whoever blocks for {@code wait}, at {@code time} or when its process is unpaused. */
  void resume(Wait wait, long time) {
    add(time, wait.actor.owner, null, null, wait);
  }

  /** Gives the baton away until {@code wait} is resumed. */
  void block(Wait wait) {
    Actor me = current;
    me.waiting = wait;
    schedule(me);
    checkAlive();
  }

  /** Throws if the running actor's process is gone. */
  void checkAlive() {
    if (current.isKilled) {
      throw new Crashed();
    }
  }

  /** Ends the actors of {@code owner} where they are; all there are for null. */
  void kill(@Nullable Machine owner) {
    for (Actor actor : actors) {
      if (owner == null || actor.owner == owner) {
        actor.isKilled = true;
        if (actor.waiting != null) {
          add(now, null, null, null, actor.waiting);
        }
      }
    }
  }

  /** Runs everything that happens before {@code time}. */
  void runUntil(long time) {
    Wait end = prepare();
    resume(end, time);
    block(end);
    rethrow();
  }

  /** Drops all that is left to happen and ends every actor. */
  void clear() {
    queue.clear();
    kill(null);
    runUntil(now + 1);
    queue.clear();
  }

  private void rethrow() {
    Throwable thrown = failure;
    if (thrown != null) {
      failure = null;
      throw new AssertionError("the simulator itself failed", thrown);
    }
  }

  private void add(
      long time,
      @Nullable Machine owner,
      @Nullable Runnable action,
      @Nullable Runnable task,
      @Nullable Wait wait) {
    long due = Math.max(time, now);
    queue.add(new Event(due, random.nextInt(), number++, owner, action, task, wait));
  }

  /** Lets the world go on until {@code me} has something to do. */
  private void schedule(Actor me) {
    while (true) {
      Event event = queue.remove();
      now = Math.max(now, event.time);
      Actor next = next(event);
      if (next == me) {
        return;
      }
      if (next != null) {
        current = next;
        LockSupport.unpark(next.thread);
        me.awaitBaton();
        return;
      }
    }
  }

  private @Nullable Actor next(Event event) {
    Machine owner = event.owner;
    if (owner != null && !owner.isAlive()) {
      return null;
    }
    if (owner != null && owner.pausedUntil() > now) {
      add(owner.pausedUntil(), owner, event.action, event.task, event.blocked);
      return null;
    }
    if (event.action != null) {
      try {
        event.action.run();
      } catch (RuntimeException e) {
        failure = e;
      }
      return null;
    }
    if (event.task != null) {
      Actor actor = idle.isEmpty() ? new Actor() : idle.pop();
      actor.begin(owner, event.task);
      return actor;
    }
    Wait wait = event.blocked;
    if (wait == null || wait.actor.waiting != wait) {
      return null;
    }
    wait.actor.waiting = null;
    return wait.actor;
  }

  private final class Actor {
    private final Thread thread;
    private @Nullable Machine owner;
    private @Nullable Runnable task;
    private @Nullable Wait waiting;
    private boolean isKilled;

    Actor(Thread thread) {
      this.thread = thread;
    }

    Actor() {
      thread = new Thread(this::live, "actor-" + actors.size());
      thread.setDaemon(true);
      actors.add(this);
      thread.start();
    }

    void begin(@Nullable Machine machine, Runnable work) {
      owner = machine;
      task = work;
      isKilled = false;
    }

    private void live() {
      awaitBaton();
      while (true) {
        Runnable work = task;
        task = null;
        try {
          if (work != null) {
            work.run();
          }
        } catch (Crashed e) {
          // Gone with its process.
        } catch (Throwable e) {
          failure = e;
        }
        boolean unused = Thread.interrupted();
        owner = null;
        idle.push(this);
        schedule(this);
      }
    }

    private void awaitBaton() {
      boolean isInterrupted = false;
      while (current != this) {
        LockSupport.park(Scheduler.this);
        isInterrupted |= Thread.interrupted();
      }
      if (isInterrupted) {
        thread.interrupt();
      }
    }
  }
}
