// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.AnswerNotKeptException;
import io.retrysafe.AsyncRunning;
import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import io.retrysafe.Failures;
import io.retrysafe.Fingerprint;
import io.retrysafe.InProgressException;
import io.retrysafe.MismatchException;
import io.retrysafe.OperationFailedException;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome.Kind;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.Policy;
import io.retrysafe.Scope;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.Work;
import io.retrysafe.simulation.Coverage.Place;
import io.retrysafe.simulation.Plan.Act;
import io.retrysafe.simulation.Plan.Try;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Standing;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A caller: makes one call and judges what it is told. */
final class Client {
  private final World world;
  private final Truth truth;
  private final Try call;
  private final OperationKey key;
  private boolean isHeld;
  private boolean hasRun;
  private @Nullable Throwable told;
  private @Nullable Machine machine;

  Client(World world, Truth truth, Try call) {
    this.world = world;
    this.truth = truth;
    this.call = call;
    this.key = OperationKey.of(Scope.of(call.account(), "charge"), call.key());
  }

  static Fingerprint fingerprint(int body) {
    return Fingerprint.ofText("body " + body);
  }

  OperationKey key() {
    return key;
  }

  Try call() {
    return call;
  }

  /** Returns whether it called and was not told anything yet; a crash tells it something, too. */
  boolean isHeld() {
    return isHeld;
  }

  /** Returns whether it was told that its record is pending, by an engine that is still there. */
  boolean isPending() {
    return told instanceof StoreUnavailableException unavailable
        && unavailable.workRan()
        && machine != null
        && machine.isAlive()
        && !machine.isClosing();
  }

  /** Returns what the call threw, null for an answer. */
  @Nullable Throwable told() {
    return told;
  }

  void run(Machine machine, Policy policy, Handler handler) {
    isHeld = true;
    this.machine = machine;
    Optional<Entry> start = truth.find(key);
    int contended = world.contended();
    world.trace.log(() -> "try " + call.number() + " calls " + machine.name());
    try {
      Work<String, RuntimeException> work =
          operation -> {
            hasRun = true;
            return handler.work(call, operation);
          };
      Fingerprint fingerprint = fingerprint(call.body());
      String answer =
          world.plan.isAsync()
              ? new AsyncRunning(machine.engine(), machine).run(key, fingerprint, policy, work)
              : machine.engine().run(key, fingerprint, policy, Codec.string(), work);
      world.trace.log(() -> "try " + call.number() + " is answered " + answer);
      answered(answer, start);
    } catch (Crashed e) {
      throw e;
    } catch (Throwable e) {
      told = e;
      world.trace.log(() -> "try " + call.number() + " is told " + e);
      told(e);
    } finally {
      isHeld = false;
    }
    compared(start, machine.isClosing() || world.contended() > contended);
  }

  private void answered(String answer, Optional<Entry> start) {
    Track track = truth.track(key);
    boolean isLarge = hasRun && call.act() == Act.LARGE;
    boolean isRecorded =
        isLarge ? track.isRecorded(Kind.FINAL) : track.isRecorded(Kind.FINAL, Bytes.utf8(answer));
    deny(!isRecorded, "P10", () -> "shown, and not recorded: " + answer);
    deny(!answer.startsWith(call.account() + "/"), "P10", () -> "of another account: " + answer);
    if (!hasRun && start.filter(e -> e.standing() == Standing.RUNNING).isPresent()) {
      world.coverage.reached(Place.WAIT_WOKEN);
    }
  }

  private void told(Throwable e) {
    Track track = truth.track(key);
    if (e instanceof StoreUnavailableException unavailable) {
      boolean ran = unavailable.workRan();
      world.coverage.reached(ran ? Place.UNAVAILABLE_AFTER_WORK : Place.UNAVAILABLE_BEFORE_WORK);
      deny(!ran && hasRun, "P10", () -> "it ran, and is told that it did not");
    } else if (e instanceof OperationFailedException) {
      boolean isKnown = track.isRecorded(Kind.FAILED) || track.steps.contains("~failed");
      deny(!isKnown, "P15", () -> "told that it failed, which is not recorded");
    } else if (e instanceof AnswerNotKeptException) {
      world.coverage.reached(Place.ANSWER_NOT_KEPT);
    } else if (e instanceof InProgressException || e instanceof MismatchException) {
      deny(hasRun, "P11", () -> "it ran, and is told " + e);
    } else if (e instanceof Upstream.Declined || e instanceof Handler.Broken) {
      failed(track, e);
    } else if (!(e instanceof OutcomeUnknownException
        || e instanceof Handler.Refused
        || e instanceof Handler.TimedOut
        || isClosed(e))) {
      deny(true, "P12", () -> "told something unexpected: " + e);
    }
  }

  /** A failure of the work itself is for good where failures are kept; so it must be recorded. */
  private void failed(Track track, Throwable e) {
    boolean isForGood =
        world.plan.settings().failures() == Failures.KEEP && !track.wasSaidToBeUnknown();
    boolean isKnown = track.isRecorded(Kind.FAILED) || track.steps.contains("~failed");
    deny(isForGood && !isKnown, "P15", () -> "told " + e + ", which is not recorded");
  }

  private static boolean isClosed(Throwable e) {
    return e instanceof IllegalStateException && "this engine is closed".equals(e.getMessage());
  }

  /** The fingerprint is compared before the state. */
  private void compared(Optional<Entry> start, boolean mayBeCut) {
    Optional<Entry> end = truth.find(key);
    boolean isOther =
        start.isPresent()
            && end.isPresent()
            && start.get().times().createdAt().equals(end.get().times().createdAt())
            && !start.get().fingerprint().equals(fingerprint(call.body()));
    boolean isSaid =
        told instanceof MismatchException
            || told instanceof StoreUnavailableException
            || (told != null && isClosed(told));
    boolean isCut = mayBeCut && told instanceof InProgressException;
    deny(isOther && !isSaid && !isCut, "P11", () -> "another request is told " + told);
    deny(told instanceof MismatchException && hasRun, "P11", () -> "a mismatch ran");
  }

  private void deny(boolean isBroken, String property, Supplier<String> detail) {
    world.deny(
        isBroken, property, () -> "try " + call.number() + " " + key.value() + ": " + detail.get());
  }
}
