// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.EventLoop;
import io.retrysafe.Outcome;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Defects that only callers without a thread can come by. */
final class BrokenQueues {
  private BrokenQueues() {}

  /** Loses a continuation now and then: whoever waits for it waits for ever. */
  static final class LosesContinuations implements Defect {
    @Override
    public EventLoop inLoop(EventLoop loop, Machine machine) {
      return new EventLoop(
          work -> {
            if (machine.dice().nextInt(20) > 0) {
              loop.itself().execute(work);
            }
          },
          loop.blocking());
    }
  }

  /** Forgets a claim whose answer came when nobody waited for it any more. */
  static final class ForgetsLateGrants implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      Set<Token> late = new HashSet<>();
      return new PassingQueue(wire) {
        @Override
        public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
          long end = machine.nanos() + CallDeadline.timeLeft(Duration.ofDays(1)).toNanos();
          return super.claim(claim, blocking)
              .whenComplete(
                  (result, failure) -> {
                    if (machine.nanos() >= end) {
                      late.add(claim.token());
                    }
                  });
        }

        @Override
        public Set<Owner> renew(Set<Owner> owners, Duration lease) {
          Set<Owner> known = new HashSet<>(owners);
          known.removeIf(owner -> late.contains(owner.token()));
          return known.isEmpty() ? known : super.renew(known, lease);
        }
      };
    }
  }

  /** Takes the silence of the queue for a recorded outcome. */
  static final class SilenceIsSuccess implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingQueue(wire) {
        @Override
        public CompletionStage<Boolean> complete(
            Owner owner, Outcome outcome, Duration retention, Executor blocking) {
          return super.complete(owner, outcome, retention, blocking).exceptionally(silence -> true);
        }
      };
    }
  }

  /** Completes in the queue, and releases the same entry in another call of the queue. */
  static final class EndsTwice implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingQueue(wire) {
        @Override
        public CompletionStage<Boolean> complete(
            Owner owner, Outcome outcome, Duration retention, Executor blocking) {
          CompletionStage<Boolean> unused = super.release(owner, Release.FREE, blocking);
          return super.complete(owner, outcome, retention, blocking);
        }
      };
    }
  }

  /** Gives the answers of a batch to the wrong callers: by their place, not by their token. */
  static final class MixesAnswersUp implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      Map<Token, CompletableFuture<ClaimResult>> waiting = new HashMap<>();
      return new PassingQueue(wire) {
        @Override
        public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
          CompletableFuture<ClaimResult> mine = new CompletableFuture<>();
          waiting.put(claim.token(), mine);
          CompletionStage<ClaimResult> unused =
              super.claim(claim, blocking)
                  .whenComplete(
                      (result, failure) -> {
                        waiting.remove(claim.token());
                        if (failure != null) {
                          mine.completeExceptionally(failure);
                          return;
                        }
                        waiting.values().forEach(other -> other.complete(result));
                        waiting.clear();
                        mine.complete(result);
                      });
          return mine;
        }
      };
    }
  }

  /** Waits for the store inside of the event loop. */
  static final class BlocksTheLoop implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingQueue(wire) {
        @Override
        public CompletionStage<Boolean> release(Owner owner, Release how, Executor blocking) {
          return CompletableFuture.completedFuture(release(owner, how));
        }
      };
    }
  }
}
