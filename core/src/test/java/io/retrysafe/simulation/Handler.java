// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.AsyncRunning;
import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import io.retrysafe.Ending;
import io.retrysafe.Lookup;
import io.retrysafe.Operation;
import io.retrysafe.Outcome;
import io.retrysafe.RetrysafeException;
import io.retrysafe.simulation.Coverage.Place;
import io.retrysafe.simulation.Plan.Act;
import io.retrysafe.simulation.Plan.Try;
import io.retrysafe.simulation.Scheduler.Wait;
import io.retrysafe.simulation.Track.Grant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The work of operations, as an honest user of the engine writes it. */
final class Handler {
  /** The upstream did not answer: it may or may not have happened. */
  static final class TimedOut extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** The work failed by itself. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken() {
      super("broken", null, false, false);
    }

    Broken(Throwable cause) {
      super("broken", cause, false, false);
    }
  }

  /** The work was refused before it had any effect. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static final String PADDING = "x".repeat(100);
  private static final long BEATEN_WITHIN =
      TimeUnit.MILLISECONDS.toMicros(Plan.LEASE + Plan.STORE_DEADLINE);

  private final Machine machine;
  private final World world;
  private final Truth truth;
  private final Upstream upstream;
  private final Link link;

  Handler(Machine machine, Truth truth, Upstream upstream) {
    this.machine = machine;
    this.world = machine.world();
    this.truth = truth;
    this.upstream = upstream;
    this.link = new Link(machine, false);
  }

  String work(Try call, Operation operation) throws RuntimeException {
    Track track = truth.track(operation.key());
    Grant grant = track.grant(operation.fence());
    grant.isWorking = true;
    track.hasRun = true;
    world.trace.log(() -> machine.name() + " works on " + track + " for try " + call.number());
    try {
      sleep(call.before());
      return world.plan.settings().isSaga()
          ? saga(call, operation, track, grant)
          : simple(call, operation, track, grant);
    } finally {
      grant.isWorking = false;
    }
  }

  private String simple(Try call, Operation operation, Track track, Grant grant) {
    if (call.act() == Act.REFUSE) {
      grant.isWorking = false;
      end(operation::release, () -> operation.releaseAsync(machine.loop()));
      throw new Refused();
    }
    if (call.act() == Act.THROW_EARLY) {
      if (operation.attempt() > 1) {
        // Whoever cannot ask the upstream cannot know what an earlier attempt did.
        unknown(operation, grant);
      }
      throw new Broken();
    }
    Optional<String> receipt =
        link.call("charge", () -> upstream.act(track, grant, "charge", call.number()));
    if (receipt.isEmpty()) {
      unknown(operation, grant);
      sleep(call.after());
      return lateAnswer(operation, track, grant).orElseThrow(TimedOut::new);
    }
    sleep(call.after());
    checkHeart(operation, track, grant);
    return call.act() == Act.LARGE ? receipt.get() + PADDING : receipt.get();
  }

  private Optional<String> lateAnswer(Operation operation, Track track, Grant grant) {
    Optional<String> receipt =
        link.call("ask", () -> upstream.lookUp(track, "charge", grant.fence))
            .flatMap(found -> found);
    if (receipt.isEmpty()) {
      return receipt;
    }
    Outcome outcome = Outcome.of(Bytes.utf8(receipt.get()));
    Ending ending =
        end(
            () -> operation.complete(outcome),
            () -> operation.completeAsync(outcome, machine.loop()));
    if (ending instanceof Ending.Recorded) {
      world.coverage.reached(Place.LATE_ANSWER_AFTER_UNKNOWN);
      return receipt;
    }
    return Optional.empty();
  }

  private void unknown(Operation operation, Grant grant) {
    grant.isWorking = false;
    grant.isUnknown = true;
    end(operation::unknown, () -> operation.unknownAsync(machine.loop()));
  }

  private Ending end(Supplier<Ending> blocking, Supplier<CompletionStage<Ending>> async) {
    return world.plan.isAsync() ? AsyncRunning.end(machine, async) : blocking.get();
  }

  /** A lease must be renewed, or its loss told, if nothing holds the heartbeat up. */
  private void checkHeart(Operation operation, Track track, Grant grant) {
    boolean isLost = grant.lostAt < Long.MAX_VALUE;
    if (isLost && !operation.isCurrent()) {
      world.coverage.reached(Place.LOST_CLAIM_TOLD);
    }
    long now = TimeUnit.NANOSECONDS.toMicros(world.scheduler.now());
    long calmSince =
        Math.max(
            TimeUnit.MILLISECONDS.toMicros(Plan.FAULTS_UNTIL),
            TimeUnit.NANOSECONDS.toMicros(machine.pausedUntil()));
    boolean isBeating =
        !machine.isClosing()
            && now - calmSince > BEATEN_WITHIN
            && world.plan.settings().maxRunning() > Plan.FAULTS_UNTIL;
    if (isBeating) {
      world.coverage.reached(Place.HEART_CHECKED);
      boolean isUntold = isLost && now - grant.lostAt > BEATEN_WITHIN && operation.isCurrent();
      world.deny(isUntold, "P4", () -> track + ": a lost claim was not told");
      boolean isMine = track.last.filter(e -> track.grants.get(e.token()) == grant).isPresent();
      world.deny(isMine && now >= track.leaseEnd, "P12", () -> track + ": a lease was not renewed");
    }
  }

  private String saga(Try call, Operation operation, Track track, Grant grant) {
    if (call.act() == Act.THROW_EARLY) {
      throw new Broken();
    }
    String receipt = "";
    for (String name : Upstream.STEPS) {
      try {
        receipt = step(operation, track, grant, name);
      } catch (RetrysafeException e) {
        throw call.act() == Act.WRAP ? new Broken(e) : e;
      }
      sleep(call.after() / 3);
    }
    if (call.act() == Act.THROW_LATE) {
      throw new Broken();
    }
    return receipt;
  }

  private String step(Operation operation, Track track, Grant grant, String name) {
    return operation.step(
        name,
        Codec.string(),
        () -> {
          boolean isKnown = grant.steps.contains(name);
          world.deny(isKnown, "S1", () -> track + ": repeats the remembered step " + name);
          return link.call(name, () -> upstream.act(track, grant, name, 0))
              .orElseThrow(
                  () -> {
                    unknown(operation, grant);
                    return new TimedOut();
                  });
        },
        receipt -> undo(track, name));
  }

  private void undo(Track track, String name) {
    boolean isDone = link.call("undo " + name, () -> upstream.undo(track, name)).orElse(false);
    if (!isDone) {
      throw new TimedOut();
    }
  }

  /** Says what became of an operation, at once or later. */
  Lookup.Finding find(Operation operation) {
    if (operation.fence() % 2 == 0) {
      return findNow(operation);
    }
    world.coverage.reached(Place.FOUND_LATER);
    CompletableFuture<Lookup.Finding> finding = new CompletableFuture<>();
    world.scheduler.start(
        world.scheduler.now(), machine, () -> finding.complete(findNow(operation)));
    return new Lookup.Later(finding);
  }

  /** Says what became of an operation; sometimes it cannot. */
  private Lookup.Finding findNow(Operation operation) {
    Track track = truth.track(operation.key());
    String last = world.plan.settings().isSaga() ? "ship" : "charge";
    boolean isMute = !world.isCalm() && machine.dice().nextInt(6) == 0;
    return link.call("look up", () -> upstream.lookUp(track, last, operation.fence()))
        .filter(found -> !isMute)
        .<Lookup.Finding>map(
            found ->
                found.isPresent()
                    ? new Lookup.Happened(Outcome.of(Bytes.utf8(found.get())))
                    : new Lookup.DidNotHappen())
        .orElseGet(Lookup.CannotTell::new);
  }

  private void sleep(int millis) {
    Wait wait = world.scheduler.prepare();
    world.scheduler.resume(wait, world.after(millis));
    world.scheduler.block(wait);
  }
}
