// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.simulation.Coverage.Place;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The store as one process sees it: over a network, sometimes contended, sometimes refusing. */
class Wire extends PassingStore {
  private final Truth truth;
  private final Machine machine;
  private final Link link;

  Wire(Truth truth, Machine machine) {
    super(truth);
    this.truth = truth;
    this.machine = machine;
    this.link = new Link(machine, true);
  }

  @Override
  public ClaimResult claim(Claim claim) {
    return call(asked(claim), claiming(claim));
  }

  Truth truth() {
    return truth;
  }

  static String asked(Claim claim) {
    return "claim " + short_(claim.key()) + " " + claim.token();
  }

  Supplier<ClaimResult> claiming(Claim claim) {
    boolean isContended = isOdd();
    return () -> isContended ? contended() : truth.claim(claim, machine);
  }

  private ClaimResult contended() {
    machine.world().contend();
    return new ClaimResult.Contended();
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    return call(what("complete", owner), () -> truth.complete(owner, outcome, retention));
  }

  @Override
  public boolean release(Owner owner, LeaveAs how) {
    return call(what("release " + how, owner), () -> truth.release(owner, how));
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    Set<Owner> asked = Set.copyOf(owners);
    if (isOdd()) {
      machine.world().coverage.reached(Place.STORE_ERROR);
      throw new LinkageError("a class of the driver is missing");
    }
    return call("renew " + asked.size() + " leases", () -> truth.renew(asked, lease));
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return call("find " + short_(key), () -> truth.find(key));
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    return call(what("step " + name, owner), () -> truth.step(owner, name, result));
  }

  @Override
  public Swept sweep(int limit) {
    return call("sweep", () -> truth.sweep(limit));
  }

  @Override
  public Page browse(Query query) {
    return call("browse", () -> truth.browse(query));
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Word word) {
    return call(
        "resolve " + short_(seen.key()) + " " + word.getClass().getSimpleName(),
        () -> truth.resolve(seen, token, word));
  }

  private <T> T call(String what, Supplier<T> call) {
    return link.call(what, orRefused(call)).orElseThrow(() -> silence(what));
  }

  /** Asks without waiting; the answer comes in a thread of the store. */
  <T> CompletableFuture<T> later(String what, Supplier<T> call) {
    machine.world().coverage.reached(Place.QUEUED_CALL);
    return link.callLater(what, orRefused(call), () -> silence(what));
  }

  private static NoAnswerException silence(String what) {
    return new NoAnswerException("no answer to " + what, null);
  }

  private <T> Supplier<T> orRefused(Supplier<T> call) {
    boolean isRefused = isOdd();
    return () -> {
      if (isRefused) {
        machine.world().coverage.reached(Place.REFUSED_CALL);
        throw new RefusedCallException("not now", null);
      }
      return call.get();
    };
  }

  private boolean isOdd() {
    World world = machine.world();
    return !world.isCalm() && machine.dice().nextInt(20_000) < world.plan.settings().noise();
  }

  static String what(String call, Owner owner) {
    return call + " " + short_(owner.key()) + " " + owner.token();
  }

  static String short_(OperationKey key) {
    return key.scope().account() + "/" + key.value();
  }
}
