// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Previous;
import io.retrysafe.store.State;
import io.retrysafe.store.TakeOver;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Asks a lookup about operations whose outcome is unknown, without waiting for a retry. It claims
 * each by the ordinary takeover, so any number of instances may run. What happened is completed,
 * what did not happen is left for a retry to run, what cannot be told stays parked. What was being
 * undone is left for a retry to go on with.
 */
final class Recoverer {
  private static final int PAGE = 100;

  private final Browsable browsable;
  private final Parts parts;
  private final Claims claims;
  private final Policy policy;
  private final Lookup lookup;
  private final Duration every;

  Recoverer(Browsable browsable, Parts parts, Policy policy, Lookup lookup, Duration every) {
    this.browsable = browsable;
    this.parts = parts;
    this.claims = new Claims(parts);
    this.policy = policy;
    this.lookup = lookup;
    this.every = every;
  }

  void start() {
    parts.seam().after(Pauses.spread(every, parts.seam()), this::round);
  }

  private void round() {
    try {
      Optional<String> next = Optional.empty();
      do {
        Browsable.Query query = Browsable.Query.of(Set.of(State.UNKNOWN), PAGE);
        Browsable.Page page = browsable.browse(next.map(query::after).orElse(query));
        page.entries().forEach(this::recover);
        next = page.next();
      } while (next.isPresent());
    } catch (RuntimeException e) {
      System.getLogger("io.retrysafe").log(System.Logger.Level.WARNING, "recovering failed", e);
    } finally {
      start();
    }
  }

  private void recover(Entry entry) {
    Claim claim =
        new Claim(
            entry.key(),
            entry.fingerprint(),
            parts.seam().token(),
            policy.lease(),
            TakeOver.ALWAYS);
    Claims.Answer answer = claims.ask(claim);
    if (answer.result() instanceof ClaimResult.Granted grant) {
      decide(claims.open(claim, policy, grant, answer.echo()), grant);
    }
  }

  private void decide(Operation operation, ClaimResult.Granted grant) {
    if (grant.previous() != Previous.UNKNOWN) {
      operation.release();
      return;
    }
    if (operation.steps().isFailed()) {
      operation.leave(LeaveAs.RESUMABLE);
      return;
    }
    Lookup.Finding finding = awaited(claims.find(operation, lookup));
    if (finding instanceof Lookup.Happened happened) {
      operation.complete(happened.outcome());
    } else {
      operation.leave(finding instanceof Lookup.DidNotHappen ? LeaveAs.RESUMABLE : LeaveAs.UNKNOWN);
    }
  }

  /** Waits, so that one operation after the other is asked for and not a whole store at once. */
  private Lookup.Finding awaited(CompletableFuture<Lookup.Finding> finding) {
    try {
      parts.seam().await(finding);
      return finding.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Lookup.CannotTell();
    }
  }
}
