// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.AsyncRunning;
import io.retrysafe.Event;
import io.retrysafe.EventLoop;
import io.retrysafe.Listener;
import io.retrysafe.OpenSeam;
import io.retrysafe.Retrysafe;
import io.retrysafe.simulation.Plan.Fault;
import io.retrysafe.simulation.Plan.Moment;
import io.retrysafe.simulation.Scheduler.Wait;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A process: one engine, its clocks, its timers, and what befalls it. After a crash its slot gets a
 * new one.
 */
final class Machine implements OpenSeam, AsyncRunning.Place {
  private final World world;
  private final Slot slot;
  private final SplittableRandom random;
  private final String name;
  private final long uptime;
  private long wallOffset;
  private long pausedUntil;
  private long silentUntil;
  private boolean isAlive = true;
  private boolean isStopped;
  private boolean isClosing;
  private int timers;
  private int beats;
  private final Outages outages = new Outages();
  private @Nullable Retrysafe engine;
  private @Nullable Thread inLoop;
  private EventLoop loop = new EventLoop(this::runInLoop, this::runBlocking);

  Machine(World world, Slot slot, long seed) {
    this.world = world;
    this.slot = slot;
    this.name = slot.nextName();
    this.random = new SplittableRandom(seed);
    this.uptime = random.nextLong(1L << 60);
    this.wallOffset = TimeUnit.MINUTES.toNanos(random.nextInt(-60, 60));
  }

  /** Hears of outages, which must begin and end by turns. */
  final class Outages implements Listener {
    private boolean isSilent;
    private boolean isRefusing;

    /** Returns whether the store is said not to answer. */
    boolean isSilent() {
      return isSilent;
    }

    @Override
    public void on(Event event) {}

    @Override
    public void onOutage(String description) {
      world.coverage.reached(Coverage.Place.OUTAGE_REPORTED);
      boolean isAnswer = description.contains("answer");
      boolean isAgain = isAnswer ? isSilent : isRefusing;
      world.deny(isAgain, "P17", () -> name + " reports an outage again: " + description);
      set(isAnswer, true);
    }

    @Override
    public void onOutageEnd(String description, Duration lasted) {
      boolean isAnswer = description.contains("answer");
      boolean isOpen = isAnswer ? isSilent : isRefusing;
      world.deny(!isOpen, "P17", () -> name + " reports an end of nothing: " + description);
      set(isAnswer, false);
    }

    private void set(boolean isAnswer, boolean isOut) {
      if (isAnswer) {
        isSilent = isOut;
      } else {
        isRefusing = isOut;
      }
    }
  }

  Outages outages() {
    return outages;
  }

  void open(Retrysafe opened) {
    engine = opened;
  }

  void replaceLoop(UnaryOperator<EventLoop> by) {
    loop = by.apply(loop);
  }

  @Override
  public EventLoop loop() {
    return loop;
  }

  private void runInLoop(Runnable task) {
    start(Duration.ZERO, () -> inLoop(task));
  }

  private void inLoop(Runnable task) {
    Object unused =
        inLoop(
            () -> {
              run(task);
              return task;
            });
  }

  private void runBlocking(Runnable task) {
    start(Duration.ofNanos(random.nextInt(1_000_000)), () -> run(task));
  }

  @Override
  public <T> T inLoop(Supplier<T> call) {
    Thread before = inLoop;
    inLoop = Thread.currentThread();
    try {
      return call.get();
    } finally {
      inLoop = before;
    }
  }

  /** An event loop must not be held. */
  void checkMayBlock(String what) {
    boolean isHeld = inLoop == Thread.currentThread();
    world.deny(isHeld, "P18", () -> name + " blocks its event loop: " + what);
  }

  Retrysafe engine() {
    if (engine == null) {
      throw new IllegalStateException("the engine is not open yet");
    }
    return engine;
  }

  String name() {
    return name;
  }

  /** Returns whether the engine is closed, or is being closed. */
  boolean isClosing() {
    return isClosing;
  }

  World world() {
    return world;
  }

  SplittableRandom dice() {
    return random;
  }

  boolean isAlive() {
    return isAlive;
  }

  boolean isStopped() {
    return isStopped;
  }

  long pausedUntil() {
    return pausedUntil;
  }

  boolean isSilent() {
    return silentUntil > world.scheduler.now() && !world.isCalm();
  }

  /** Returns how many timers are set that are no beats. */
  int timers() {
    return timers;
  }

  int beats() {
    return beats;
  }

  int nextCall() {
    return slot.nextCall();
  }

  /** Lets happen what the plan has for this moment of a call. */
  void strike(int call, Moment moment) {
    for (Fault fault : world.plan.faults()) {
      if (fault.slot() == slot.number()
          && fault.call() == call
          && fault.moment() == moment
          && !world.isCalm()
          && isAlive) {
        befall(fault);
      }
    }
  }

  private void befall(Fault fault) {
    world.trace.log(() -> name() + " " + fault.trouble() + " for " + fault.length() + " ms");
    switch (fault.trouble()) {
      case CRASH -> {
        world.coverage.reached(Coverage.Place.CRASH);
        crash();
      }
      case PAUSE -> {
        pausedUntil = Math.max(pausedUntil, world.after(fault.length()));
        if (fault.length() > Plan.LEASE) {
          world.coverage.reached(Coverage.Place.PAUSE_PAST_LEASE);
        }
      }
      case OUTAGE -> {
        world.coverage.reached(Coverage.Place.OUTAGE);
        silentUntil = world.after(fault.length());
      }
      case JUMP -> wallOffset += TimeUnit.HOURS.toNanos(random.nextBoolean() ? 1 : -1);
      case CLOSE -> {
        world.coverage.reached(Coverage.Place.CLOSE);
        Retrysafe closing = engine();
        isClosing = true;
        slot.replace();
        world.scheduler.start(world.scheduler.now(), this, () -> run(closing::close));
      }
    }
  }

  private void crash() {
    isAlive = false;
    world.scheduler.kill(this);
    slot.replace();
  }

  /** Blocks the running actor while its process is paused. */
  void sleepWhilePaused() {
    world.scheduler.checkAlive();
    if (pausedUntil > world.scheduler.now()) {
      Wait wait = world.scheduler.prepare();
      world.scheduler.resume(wait, pausedUntil);
      world.scheduler.block(wait);
    }
  }

  @Override
  public long nanos() {
    return uptime + world.scheduler.now();
  }

  @Override
  public Instant now() {
    return world.storeTime().plusNanos(wallOffset);
  }

  @Override
  public Token token() {
    return new Token(random.nextLong(), random.nextLong());
  }

  @Override
  public double random() {
    return random.nextDouble();
  }

  @Override
  public void pause(Duration duration) throws InterruptedException {
    checkMayBlock("a pause");
    Wait wait = world.scheduler.prepare();
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    world.scheduler.resume(wait, world.scheduler.now() + duration.toNanos());
    world.scheduler.block(wait);
  }

  @Override
  public void awaitUnlessGone(CompletableFuture<?> future) {
    if (future.isDone()) {
      return;
    }
    try {
      awaitPatiently(future);
    } catch (InterruptedException e) {
      world.trace.log(() -> "a client of " + name + " is gone");
    }
  }

  @Override
  public void awaitEnd(CompletableFuture<?> future) {
    while (!future.isDone()) {
      Wait wait = world.scheduler.prepare();
      CompletableFuture<?> unused =
          future.whenComplete((r, e) -> world.scheduler.resume(wait, world.scheduler.now()));
      world.scheduler.block(wait);
    }
  }

  @Override
  public void await(CompletableFuture<?> future) throws InterruptedException {
    checkMayBlock("a wait");
    awaitPatiently(future);
  }

  /** Blocks for {@code future}; a client that is gone interrupts that. */
  private void awaitPatiently(CompletableFuture<?> future) throws InterruptedException {
    Wait wait = world.scheduler.prepare();
    long goneAt = slot.patienceOfRunningTry();
    CompletableFuture<?> unused =
        future.whenComplete((r, e) -> world.scheduler.resume(wait, world.scheduler.now()));
    world.scheduler.resume(wait, goneAt);
    world.scheduler.block(wait);
    if (!future.isDone()) {
      world.coverage.reached(Coverage.Place.WAIT_GIVEN_UP);
      throw new InterruptedException();
    }
  }

  @Override
  public void await(CompletableFuture<?> future, Duration atMost) {
    Wait wait = world.scheduler.prepare();
    CompletableFuture<?> unused =
        future.whenComplete((r, e) -> world.scheduler.resume(wait, world.scheduler.now()));
    world.scheduler.resume(wait, world.scheduler.now() + atMost.toNanos());
    world.scheduler.block(wait);
  }

  @Override
  public void aside(Runnable task) {
    start(Duration.ZERO, () -> run(task));
  }

  @Override
  public Timer after(Lane lane, Duration delay, Runnable task) {
    AtomicBoolean isOver = new AtomicBoolean(isStopped);
    if (!isStopped) {
      timers++;
      start(
          delay,
          () -> {
            if (isOver.compareAndSet(false, true)) {
              timers--;
              if (!isStopped) {
                run(task);
              }
            }
          });
    }
    return () -> {
      if (isOver.compareAndSet(false, true)) {
        timers--;
      }
    };
  }

  @Override
  public void alarm(Duration delay, Runnable task) {
    after(delay, task);
  }

  @Override
  public void beatAfter(Duration delay, Runnable beat) {
    if (!isStopped) {
      beats++;
      start(
          delay,
          () -> {
            beats--;
            if (!isStopped) {
              run(beat);
            }
          });
    }
  }

  /** Runs a task; an error is lost, as in a timer. */
  private void run(Runnable task) {
    try {
      task.run();
    } catch (LinkageError e) {
      world.trace.log(() -> name + " loses " + e);
    }
  }

  private void start(Duration delay, Runnable task) {
    world.scheduler.start(world.scheduler.now() + delay.toNanos(), this, task);
  }

  @Override
  public void stop() {
    isStopped = true;
  }

  /** Where a process runs: what outlives a crash. */
  interface Slot {
    int number();

    /** Names the next process that runs here. */
    String nextName();

    int nextCall();

    /** Starts a new process here. */
    void replace();

    /** Returns when the client of the running actor goes away. */
    long patienceOfRunningTry();
  }
}
