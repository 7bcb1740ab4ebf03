// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Engines with a defect, made by what stands between them and their store. */
final class BrokenEngines {
  private BrokenEngines() {}

  /** Cleans up after a refusal, and so frees the entry of whoever is running. */
  static final class WaiterFreesOwner implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingStore(wire) {
        @Override
        public ClaimResult claim(Claim claim) {
          ClaimResult result = super.claim(claim);
          if (result instanceof ClaimResult.Held held
              && held.entry().state() == State.IN_PROGRESS) {
            release(new Owner(claim.key(), held.entry().token()), Release.FREE);
          }
          return result;
        }
      };
    }
  }

  /** Says "in progress" before it compares the fingerprint. */
  static final class StateBeforeFingerprint implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingStore(wire) {
        @Override
        public ClaimResult claim(Claim claim) {
          ClaimResult result = super.claim(claim);
          return result instanceof ClaimResult.Held held
                  && held.entry().state() == State.IN_PROGRESS
              ? new ClaimResult.Held(likeAsked(held.entry(), claim))
              : result;
        }
      };
    }

    private static Entry likeAsked(Entry entry, Claim claim) {
      return new Entry(
          entry.key(),
          entry.token(),
          claim.fingerprint(),
          entry.attempt(),
          entry.fence(),
          entry.phase(),
          entry.times(),
          entry.outcome());
    }
  }

  /** Frees the key when the work does not know. */
  static final class UnknownAsFailed implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingStore(wire) {
        @Override
        public boolean release(Owner owner, Release how) {
          return super.release(owner, how == Release.UNKNOWN ? Release.FREE : how);
        }
      };
    }
  }

  /** Answers first and records later. */
  static final class AnswerBeforeRecord implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingStore(wire) {
        @Override
        public boolean complete(Owner owner, Outcome outcome, Duration retention) {
          machine.after(Duration.ofMillis(20), () -> record(owner, outcome, retention));
          return true;
        }

        private void record(Owner owner, Outcome outcome, Duration retention) {
          try {
            super.complete(owner, outcome, retention);
          } catch (StoreException e) {
            // That is the defect.
          }
        }
      };
    }
  }

  /** Reads remembered steps from a second place, which lags behind. */
  static final class StepsElsewhere implements Defect {
    private final Map<OperationKey, Map<String, Bytes>> copies = new HashMap<>();

    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingStore(wire) {
        @Override
        public boolean step(Owner owner, String name, Bytes result) {
          boolean isMine = super.step(owner, name, result);
          machine.after(Duration.ofMillis(200), () -> copy(owner.key()).put(name, result));
          return isMine;
        }

        @Override
        public ClaimResult claim(Claim claim) {
          ClaimResult result = super.claim(claim);
          return result instanceof ClaimResult.Granted granted
              ? new ClaimResult.Granted(
                  granted.attempt(), granted.fence(), granted.previous(), copy(claim.key()))
              : result;
        }
      };
    }

    private Map<String, Bytes> copy(OperationKey key) {
      return copies.computeIfAbsent(key, any -> new HashMap<>());
    }
  }

  /** Says that leases are renewed, and renews none. */
  static final class NoHeartbeat implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingStore(wire) {
        @Override
        public Set<Owner> renew(Set<Owner> owners, Duration lease) {
          return owners;
        }
      };
    }
  }

  /** Runs again for ever. */
  static final class RerunWithoutBound implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingStore(wire) {
        @Override
        public ClaimResult claim(Claim claim) {
          boolean mayRerun = !claim.takeOver().equals(TakeOver.NONE);
          return super.claim(
              new Claim(
                  claim.key(),
                  claim.fingerprint(),
                  claim.token(),
                  claim.lease(),
                  mayRerun ? TakeOver.ALWAYS : TakeOver.NONE));
        }
      };
    }
  }

  /** Walks away from a claim that it got no answer to. */
  static final class NeverGivesUp implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      Set<Token> granted = new HashSet<>();
      return new PassingStore(wire) {
        @Override
        public ClaimResult claim(Claim claim) {
          ClaimResult result = super.claim(claim);
          if (result instanceof ClaimResult.Granted) {
            granted.add(claim.token());
          }
          return result;
        }

        @Override
        public boolean release(Owner owner, Release how) {
          return granted.contains(owner.token()) && super.release(owner, how);
        }
      };
    }
  }

  /** Believes that an outcome is recorded which the store was offered for long enough. */
  static final class ForgetsPending implements Defect {
    @Override
    public Store inEngine(Store wire, Machine machine) {
      Map<Token, Long> offered = new HashMap<>();
      return new PassingStore(wire) {
        @Override
        public boolean complete(Owner owner, Outcome outcome, Duration retention) {
          long first = offered.computeIfAbsent(owner.token(), any -> machine.nanos());
          return machine.nanos() - first > Duration.ofMillis(Plan.STORE_DEADLINE).toNanos()
              || super.complete(owner, outcome, retention);
        }
      };
    }
  }
}
