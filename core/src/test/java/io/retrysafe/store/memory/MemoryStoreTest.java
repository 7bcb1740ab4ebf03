// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.History;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Phase;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.State;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the memory store has besides the contract, which the store testkit checks. */
final class MemoryStoreTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private Instant now = Instant.parse("2026-01-02T03:04:05Z");

  private MemoryStore.Builder builder() {
    return MemoryStore.builder().clock(() -> now);
  }

  private void advance(Duration time) {
    now = now.plus(time);
  }

  private static Claim claim(int key) {
    return new Claim(
        OperationKey.of(Scope.of("m"), "k" + key),
        Fingerprint.NONE,
        new Token(key, System.nanoTime()),
        HOUR,
        TakeOver.NONE);
  }

  private static void settle(MemoryStore store, int key, Duration retention) {
    Claim claim = claim(key);
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    assertThat(store.complete(claim.owner(), Outcome.of(Bytes.EMPTY), retention)).isTrue();
  }

  @Test
  void anOutcomeOverTheDeclaredSizeIsRefusedAndChangesNothing() {
    MemoryStore limited = MemoryStore.create();
    OperationKey key = OperationKey.of(Scope.of("merchant_7", "charge"), "large");
    Claim owner =
        new Claim(key, Fingerprint.NONE, new Token(1, 2), Duration.ofSeconds(30), TakeOver.NONE);
    limited.claim(owner);
    int largest = limited.profile().largestOutcome();
    int frame = OutcomeFormat.size(Outcome.of(Bytes.EMPTY));
    Outcome fits = Outcome.of(Bytes.wrap(new byte[largest - frame]));
    Outcome tooLarge = Outcome.of(Bytes.wrap(new byte[largest - frame + 1]));

    assertThatThrownBy(() -> limited.complete(owner.owner(), tooLarge, Duration.ofHours(1)))
        .isInstanceOf(RefusedCallException.class)
        .hasMessageContaining("at most " + largest);
    assertThat(limited.find(key).orElseThrow().phase()).isEqualTo(Phase.RUNNING);
    assertThat(limited.complete(owner.owner(), fits, Duration.ofHours(1))).isTrue();
  }

  @Test
  void aFullStoreRefusesNewKeysAndServesTheOthers() {
    MemoryStore store = builder().maxEntries(3).build();
    for (int key = 0; key < 3; key++) {
      settle(store, key, HOUR);
    }

    assertThatThrownBy(() -> store.claim(claim(3)))
        .isInstanceOf(RefusedCallException.class)
        .hasMessageContaining("full with 3 entries")
        .hasMessageContaining("maxEntries");

    for (int key = 0; key < 3; key++) {
      assertThat(store.claim(claim(key))).isInstanceOf(Held.class);
    }
    assertThat(store.find(claim(3).key())).isEmpty();
  }

  @Test
  void aFullStoreRemovesNothingBeforeItsTime() {
    MemoryStore store = builder().maxEntries(3).build();
    Claim lapsed = claim(0);
    assertThat(store.claim(lapsed)).isInstanceOf(Granted.class);
    settle(store, 1, HOUR.multipliedBy(3));
    settle(store, 2, HOUR.multipliedBy(3));
    advance(HOUR.multipliedBy(2));

    assertThatThrownBy(() -> store.claim(claim(3))).isInstanceOf(RefusedCallException.class);

    assertThat(store.find(lapsed.key()).orElseThrow().isLapsed()).isTrue();
    assertThat(store.find(claim(1).key())).isPresent();
  }

  @Test
  void aFullStoreMakesRoomOfWhatExpired() {
    MemoryStore store = builder().maxEntries(3).build();
    settle(store, 0, HOUR);
    settle(store, 1, HOUR);
    settle(store, 2, HOUR.multipliedBy(3));
    advance(HOUR);

    assertThat(store.claim(claim(3))).isInstanceOf(Granted.class);
    assertThat(store.claim(claim(4))).isInstanceOf(Granted.class);
    assertThatThrownBy(() -> store.claim(claim(5))).isInstanceOf(RefusedCallException.class);
    assertThat(store.find(claim(2).key())).isPresent();
  }

  @Test
  void theStoreSweepsItselfBeforeItIsFull() {
    MemoryStore store = builder().build();
    for (int key = 0; key < 1024; key++) {
      settle(store, key, HOUR);
    }
    advance(HOUR.plusSeconds(1));

    settle(store, 5000, HOUR);

    assertThat(store.sweep(10_000).removed()).isZero();
  }

  @Test
  void aFreedEntryIsRememberedForTenSeconds() {
    MemoryStore store = builder().build();
    Claim claim = claim(0);
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    assertThat(store.release(claim.owner(), Release.FREE)).isTrue();
    advance(Duration.ofSeconds(9));
    assertThat(store.sweep(10).removed()).isZero();
    assertThat(store.release(claim.owner(), Release.FREE)).isTrue();

    advance(Duration.ofSeconds(1));

    assertThat(store.sweep(10).removed()).isEqualTo(1);
    assertThat(store.release(claim.owner(), Release.FREE)).isFalse();
  }

  @Test
  void historyEndsWithItsEntry() {
    MemoryStore store = builder().build();
    settle(store, 0, HOUR);
    OperationKey key = claim(0).key();
    History.Event event = new History.Event(key, "claimed", "host", now, now, 1, "");
    store.append(List.of(event));
    assertThat(store.history(key)).containsExactly(event);

    advance(HOUR.plusSeconds(1));
    store.sweep(10);

    assertThat(store.history(key)).isEmpty();
    store.append(List.of(event));
    assertThat(store.history(key)).isEmpty();
  }

  @Test
  void unsettledEntriesLiveAsLongAsTheStoreIsTold() {
    MemoryStore store = builder().unsettledRetention(HOUR).build();
    Claim claim = claim(0);
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    assertThat(store.profile().unsettledRetention()).isEqualTo(HOUR);

    advance(HOUR.multipliedBy(2).minusNanos(1_000));
    assertThat(store.find(claim.key())).isPresent();
    advance(Duration.ofNanos(1_000));
    assertThat(store.find(claim.key())).isEmpty();
  }

  @Test
  void settingsAreChecked() {
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryStore.builder().maxEntries(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemoryStore.builder().unsettledRetention(Duration.ofSeconds(-1)))
        .withMessageContaining("PT-1S");
    assertThat(MemoryStore.create().profile().name()).isEqualTo("memory");
  }

  @Test
  void aListingGoesOnWhereItStoppedThoughEntriesCameAndWent() {
    MemoryStore store = builder().build();
    for (int key = 0; key < 4; key++) {
      settle(store, key, HOUR.multipliedBy(2));
      advance(Duration.ofSeconds(1));
    }
    Browsable.Query query = Browsable.Query.of(Set.of(State.COMPLETED), 2);
    Browsable.Page first = store.browse(query);
    settle(store, 9, HOUR);

    Browsable.Page second = store.browse(query.after(first.next().orElseThrow()));

    assertThat(first.entries()).extracting(e -> e.key().value()).containsExactly("k0", "k1");
    assertThat(second.entries()).extracting(e -> e.key().value()).containsExactly("k2", "k3");
  }
}
