// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.simulation.Coverage.Place;
import io.retrysafe.simulation.Plan.Moment;
import io.retrysafe.simulation.Scheduler.Wait;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The network between a process and the outside. A call is sent, applied in one moment, and
 * answered; each part takes its time, so calls overtake each other. Some get no answer: they were
 * lost on the way there or back, or are applied late, but never later than the store's profile
 * says.
 */
final class Link {
  /** What becomes of a call. */
  enum Fate {
    FINE,
    SLOW,
    TWICE,
    LOST_REQUEST,
    LOST_ANSWER,
    LATE
  }

  private static final List<Fate> ODD =
      List.of(Fate.SLOW, Fate.TWICE, Fate.LOST_REQUEST, Fate.LOST_ANSWER, Fate.LATE);
  private static final List<Fate> SILENT = List.of(Fate.LOST_REQUEST, Fate.LOST_ANSWER, Fate.LATE);

  private final Machine machine;
  private final World world;
  private final boolean mayDouble;

  /** A link; {@code mayDouble} if what it leads to is safe to be asked twice. */
  Link(Machine machine, boolean mayDouble) {
    this.machine = machine;
    this.world = machine.world();
    this.mayDouble = mayDouble;
  }

  /** Returns the answer, or nothing where there is none. */
  <T> Optional<T> call(String what, Supplier<T> call) {
    machine.checkMayBlock(what);
    machine.sleepWhilePaused();
    int number = machine.nextCall();
    machine.strike(number, Moment.BEFORE);
    machine.sleepWhilePaused();
    Fate fate = fate();
    Wait wait = world.scheduler.prepare();
    Answer<T> answer = new Answer<>();
    world.trace.log(
        () -> machine.name() + " asks " + what + (fate == Fate.FINE ? "" : ", which is " + fate));
    Runnable apply = () -> apply(what, call, answer, number);
    Runnable applyAndAnswer =
        () -> {
          apply.run();
          world.scheduler.resume(wait, world.scheduler.now() + travel(fate));
        };
    long arrival = world.scheduler.now() + travel(fate);
    long silence = world.after(20 + random().nextInt(400));
    switch (fate) {
      case FINE, SLOW -> world.scheduler.at(arrival, applyAndAnswer);
      case TWICE -> {
        world.coverage.reached(Place.DOUBLED_CALL);
        world.scheduler.at(arrival, apply);
        world.scheduler.at(arrival + travel(Fate.SLOW), applyAndAnswer);
      }
      case LOST_REQUEST -> world.scheduler.resume(wait, silence);
      case LOST_ANSWER -> {
        world.coverage.reached(Place.LOST_ANSWER);
        world.scheduler.at(Math.min(arrival, silence - 1), apply);
        world.scheduler.resume(wait, silence);
      }
      case LATE -> {
        world.coverage.reached(Place.LATE_CALL);
        long last = world.after(Plan.CALL_TIMEOUT - 1);
        world.scheduler.at(random().nextLong(silence, last), apply);
        world.scheduler.resume(wait, silence);
      }
    }
    world.scheduler.block(wait);
    machine.strike(number, Moment.AFTER);
    machine.sleepWhilePaused();
    if (SILENT.contains(fate)) {
      world.trace.log(() -> machine.name() + " gets no answer to " + what);
      return Optional.empty();
    }
    return Optional.of(answer.get());
  }

  /**
   * Returns the answer in a thread of its own, or fails with {@code silence}: as a call does, but
   * its caller goes on. A slow one may be answered when its caller has given up, and is applied in
   * time all the same.
   */
  <T> CompletableFuture<T> callLater(
      String what, Supplier<T> call, Supplier<? extends Throwable> silence) {
    int number = machine.nextCall();
    machine.strike(number, Moment.BEFORE);
    world.scheduler.checkAlive();
    Fate fate = fate();
    CompletableFuture<T> answered = new CompletableFuture<>();
    Answer<T> answer = new Answer<>();
    world.trace.log(
        () -> machine.name() + " queues " + what + (fate == Fate.FINE ? "" : ", which is " + fate));
    Runnable apply = () -> apply(what, call, answer, number);
    Runnable tell =
        () -> {
          machine.strike(number, Moment.AFTER);
          world.scheduler.checkAlive();
          machine.inLoop(
              () ->
                  SILENT.contains(fate)
                      ? answered.completeExceptionally(silence.get())
                      : answer.tell(answered));
        };
    boolean isLate = fate == Fate.SLOW && random().nextInt(3) == 0;
    long sent = world.scheduler.now();
    long arrival =
        sent
            + (isLate
                ? random().nextLong(world.after(Plan.CALL_TIMEOUT - 1) - sent)
                : travel(fate));
    long back = arrival + travel(fate);
    long end = world.after(20 + random().nextInt(1_500));
    if (isLate) {
      world.coverage.reached(Place.QUEUED_ANSWER_AFTER_DEADLINE);
    }
    switch (fate) {
      case FINE, SLOW -> {
        world.scheduler.at(arrival, apply);
        world.scheduler.start(back, machine, tell);
      }
      case TWICE -> {
        world.scheduler.at(arrival, apply);
        world.scheduler.at(back, apply);
        world.scheduler.start(back + travel(Fate.FINE), machine, tell);
      }
      case LOST_REQUEST -> world.scheduler.start(end, machine, tell);
      case LOST_ANSWER -> {
        world.scheduler.at(Math.min(arrival, end - 1), apply);
        world.scheduler.start(end, machine, tell);
      }
      case LATE -> {
        world.scheduler.at(random().nextLong(end, world.after(Plan.CALL_TIMEOUT - 1)), apply);
        world.scheduler.start(end, machine, tell);
      }
    }
    return answered;
  }

  private <T> void apply(String what, Supplier<T> call, Answer<T> answer, int number) {
    answer.take(call);
    world.trace.log(() -> "  applied " + what + " of " + machine.name() + " -> " + answer);
    machine.strike(number, Moment.APPLIED);
  }

  private Fate fate() {
    if (world.isCalm()) {
      return Fate.FINE;
    }
    if (machine.isSilent()) {
      return SILENT.get(random().nextInt(SILENT.size()));
    }
    Plan.Settings settings = world.plan.settings();
    int noise = mayDouble ? settings.noise() : settings.upstreamNoise();
    boolean isBad = random().nextInt(1_000) < noise;
    Fate fate = isBad ? ODD.get(random().nextInt(ODD.size())) : Fate.FINE;
    return fate == Fate.TWICE && !mayDouble ? Fate.SLOW : fate;
  }

  private long travel(Fate fate) {
    return fate == Fate.SLOW
        ? random().nextLong(300_000_000L)
        : 100_000 + random().nextLong(3_000_000L);
  }

  private SplittableRandom random() {
    return machine.dice();
  }

  /** What a call was answered. */
  private static final class Answer<T> {
    private @Nullable T value;
    private @Nullable RuntimeException thrown;

    void take(Supplier<T> call) {
      try {
        value = call.get();
        thrown = null;
      } catch (RuntimeException e) {
        thrown = e;
      }
    }

    boolean tell(CompletableFuture<T> future) {
      return thrown == null ? future.complete(get()) : future.completeExceptionally(thrown);
    }

    T get() {
      if (thrown != null) {
        throw thrown;
      }
      if (value == null) {
        throw new IllegalStateException("answered before it was applied");
      }
      return value;
    }

    @Override
    public String toString() {
      return String.valueOf(thrown == null ? value : thrown);
    }
  }
}
