// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Stores with a defect. */
final class BrokenStores {
  private BrokenStores() {}

  private static MemoryStore memory(World world, Duration unsettledRetention) {
    return MemoryStore.builder()
        .clock(world::storeTime)
        .unsettledRetention(unsettledRetention)
        .build();
  }

  /** Completes for whoever asks. */
  static final class NoTokenCheck implements Defect {
    @Override
    public Store inStore(Store store, World world) {
      return new PassingStore(store) {
        @Override
        public boolean complete(Owner owner, Outcome outcome, Duration retention) {
          Token token = find(owner.key()).map(Entry::token).orElse(owner.token());
          return super.complete(new Owner(owner.key(), token), outcome, retention);
        }
      };
    }
  }

  /** Compares the number of the attempt where it should compare the token. */
  static final class CounterAsFence implements Defect {
    @Override
    public Store inStore(Store store, World world) {
      Map<Token, Integer> attempts = new HashMap<>();
      return new PassingStore(store) {
        @Override
        public ClaimResult claim(Claim claim) {
          ClaimResult result = super.claim(claim);
          if (result instanceof ClaimResult.Granted granted) {
            attempts.put(claim.token(), granted.attempt());
          }
          return result;
        }

        @Override
        public boolean complete(Owner owner, Outcome outcome, Duration retention) {
          Token token =
              find(owner.key())
                  .filter(
                      entry -> Integer.valueOf(entry.attempt()).equals(attempts.get(owner.token())))
                  .map(Entry::token)
                  .orElse(owner.token());
          return super.complete(new Owner(owner.key(), token), outcome, retention);
        }
      };
    }
  }

  /** Looks whether a key is free, and claims it in another moment. */
  static final class CheckThenAct implements Defect {
    private final Set<Token> seenFree = new HashSet<>();

    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingStore(wire) {
        @Override
        public ClaimResult claim(Claim claim) {
          if (find(claim.key()).isEmpty()) {
            seenFree.add(claim.token());
          }
          return super.claim(claim);
        }
      };
    }

    @Override
    public Store inStore(Store store, World world) {
      return new ByKey(world) {
        @Override
        public ClaimResult claim(Claim claim) {
          if (seenFree.remove(claim.token())) {
            forget(claim.key());
          }
          return super.claim(claim);
        }
      };
    }
  }

  /** Completes an entry whatever its state, also one that is gone. */
  static final class NoStatusCheck implements Defect {
    @Override
    public Store inStore(Store store, World world) {
      Map<Token, Fingerprint> known = new HashMap<>();
      return new PassingStore(store) {
        @Override
        public ClaimResult claim(Claim claim) {
          known.put(claim.token(), claim.fingerprint());
          return super.claim(claim);
        }

        @Override
        public boolean complete(Owner owner, Outcome outcome, Duration retention) {
          if (find(owner.key()).isEmpty()) {
            Fingerprint fingerprint = known.getOrDefault(owner.token(), Fingerprint.NONE);
            Duration lease = Duration.ofSeconds(1);
            super.claim(new Claim(owner.key(), fingerprint, owner.token(), lease, TakeOver.NONE));
          }
          return super.complete(owner, outcome, retention);
        }
      };
    }
  }

  /** Lets an unsettled entry expire with its lease. */
  static final class ExpiresWithLease implements Defect {
    @Override
    public Store inStore(Store store, World world) {
      return new PassingStore(memory(world, Duration.ZERO));
    }
  }

  /** Takes the time from the clock of whoever asks. */
  static final class CallersClock implements Defect {
    private final Map<Token, Machine> owners = new HashMap<>();

    @Override
    public Store inEngine(Store wire, Machine machine) {
      return new PassingStore(wire) {
        @Override
        public ClaimResult claim(Claim claim) {
          owners.put(claim.token(), machine);
          return super.claim(claim);
        }
      };
    }

    @Override
    public Store inStore(Store store, World world) {
      Machine[] asking = new Machine[1];
      MemoryStore memory =
          MemoryStore.builder()
              .clock(() -> asking[0] == null ? world.storeTime() : asking[0].now())
              .unsettledRetention(Duration.ofDays(1))
              .build();
      return new PassingStore(memory) {
        @Override
        public ClaimResult claim(Claim claim) {
          asking[0] = owners.get(claim.token());
          return super.claim(claim);
        }
      };
    }
  }

  /** A store of one memory store for each key, so that a key can be forgotten. */
  private static class ByKey extends PassingStore {
    private final World world;
    private final Map<OperationKey, MemoryStore> stores = new HashMap<>();

    ByKey(World world) {
      super(memory(world, Duration.ZERO));
      this.world = world;
    }

    void forget(OperationKey key) {
      stores.remove(key);
    }

    private MemoryStore of(OperationKey key) {
      Duration kept = Duration.ofMillis(world.plan.settings().unsettledRetention());
      return stores.computeIfAbsent(key, any -> memory(world, kept));
    }

    @Override
    public ClaimResult claim(Claim claim) {
      return of(claim.key()).claim(claim);
    }

    @Override
    public boolean complete(Owner owner, Outcome outcome, Duration retention) {
      return of(owner.key()).complete(owner, outcome, retention);
    }

    @Override
    public boolean release(Owner owner, Release how) {
      return of(owner.key()).release(owner, how);
    }

    @Override
    public Set<Owner> renew(Set<Owner> owners, Duration lease) {
      Set<Owner> renewed = new HashSet<>();
      owners.forEach(owner -> renewed.addAll(of(owner.key()).renew(Set.of(owner), lease)));
      return renewed;
    }

    @Override
    public Optional<Entry> find(OperationKey key) {
      return of(key).find(key);
    }

    @Override
    public boolean step(Owner owner, String name, Bytes result) {
      return of(owner.key()).step(owner, name, result);
    }

    @Override
    public Swept sweep(int limit) {
      return new Swept(0, List.of());
    }

    @Override
    public Resolved resolve(Entry seen, Token token, Resolution resolution) {
      return of(seen.key()).resolve(seen, token, resolution);
    }
  }
}
