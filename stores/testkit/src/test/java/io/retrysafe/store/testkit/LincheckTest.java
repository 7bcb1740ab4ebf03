// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.util.Set;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Lincheck on the memory store: every interleaving of a few calls gives answers that some order of
 * them explains.
 *
 * <p>No calls come before the parallel ones: with a single key they would settle everything that
 * the parallel ones could fight about, and a store that looks before it claims would pass.
 */
final class LincheckTest {

  @Test
  void theMemoryStoreIsLinearizableInEveryInterleaving() {
    assertThatCode(() -> exploring().check(MemoryCalls.class)).doesNotThrowAnyException();
  }

  @Test
  void theMemoryStoreIsLinearizableUnderStress() {
    StressOptions stress =
        new StressOptions()
            .actorsBefore(0)
            .actorsAfter(0)
            .threads(3)
            .actorsPerThread(3)
            .iterations(10)
            .invocationsPerIteration(500);

    assertThatCode(() -> stress.check(MemoryCalls.class)).doesNotThrowAnyException();
  }

  @Test
  void aStoreThatLooksBeforeItClaimsIsFound() {
    assertThatThrownBy(() -> exploring().check(HastyClaims.class))
        .hasMessageContaining("Invalid execution results");
  }

  private static ModelCheckingOptions exploring() {
    return new ModelCheckingOptions()
        .actorsBefore(0)
        .actorsAfter(0)
        .threads(2)
        .actorsPerThread(3)
        .minimizeFailedScenario(false)
        .iterations(6)
        .invocationsPerIteration(50);
  }

  /** Claims of a store that looks before it claims. */
  public static final class HastyClaims extends Claims {
    public HastyClaims() {
      super(new FlawedStore(new ManualClock(), Flaw.LOOKS_BEFORE_IT_CLAIMS));
    }
  }

  /** Calls on the memory store, with its clock standing still so that answers are comparable. */
  @Param(name = "token", gen = IntGen.class, conf = "1:3")
  public static final class MemoryCalls extends Claims {
    private final MemoryStore store;

    public MemoryCalls() {
      this(MemoryStore.builder().clock(new ManualClock()).build());
    }

    private MemoryCalls(MemoryStore store) {
      super(store);
      this.store = store;
    }

    @Operation
    public boolean complete(@Param(name = "token") int token) {
      return store.complete(owner(token), Outcome.of(Bytes.utf8("by " + token)), HOUR);
    }

    @Operation
    public boolean free(@Param(name = "token") int token) {
      return store.release(owner(token), Release.FREE);
    }

    @Operation
    public boolean leaveUnknown(@Param(name = "token") int token) {
      return store.release(owner(token), Release.UNKNOWN);
    }

    @Operation
    public boolean renew(@Param(name = "token") int token) {
      return !store.renew(Set.of(owner(token)), HOUR).isEmpty();
    }

    @Operation
    public boolean step(@Param(name = "token") int token) {
      return store.step(owner(token), "step", Bytes.utf8("by " + token));
    }

    @Operation
    public String find() {
      return store.find(KEY).map(Claims::text).orElse("absent");
    }
  }

  /** Claims of one key by three tokens. */
  @Param(name = "token", gen = IntGen.class, conf = "1:3")
  public abstract static class Claims {
    static final OperationKey KEY = OperationKey.of(Scope.of("merchant", "charge"), "k");
    static final Duration HOUR = Duration.ofHours(1);

    private final Store store;

    Claims(Store store) {
      this.store = store;
    }

    static Owner owner(int token) {
      return new Owner(KEY, new Token(token, token));
    }

    @Operation
    public String claim(@Param(name = "token") int token) {
      Claim claim = new Claim(KEY, Rules.FINGERPRINT, owner(token).token(), HOUR, TakeOver.ALWAYS);
      ClaimResult result = store.claim(claim);
      if (result instanceof Granted granted) {
        return "attempt " + granted.attempt() + " with " + granted.steps().size() + " steps";
      }
      return result instanceof Held held ? text(held.entry()) : "contended";
    }

    /** What an entry says, without what takes long to print under instrumentation. */
    static String text(Entry entry) {
      return entry.phase()
          + " by "
          + entry.token().low()
          + ", attempt "
          + entry.attempt()
          + entry.outcome().map(outcome -> outcome.body().toUtf8()).orElse("");
    }
  }
}
