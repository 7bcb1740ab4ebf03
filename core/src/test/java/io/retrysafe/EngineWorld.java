// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Entry;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Engines on one flaky store, in a world that a test moves by hand. */
final class EngineWorld {
  static final OperationKey KEY = OperationKey.of(Scope.of("merchant_7", "charge"), "order-1001");
  static final Fingerprint PRINT = Fingerprint.ofText("EUR 25.00");
  static final Fingerprint OTHER_PRINT = Fingerprint.ofText("EUR 99.00");
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration LAPSE = LEASE.plusSeconds(1);

  /** A loop that does everything in the calling thread. */
  static final EventLoop LOOP = new EventLoop(Runnable::run, Runnable::run);

  final ManualSeam seam = new ManualSeam();
  final FlakyStore store = new FlakyStore(MemoryStore.builder().clock(seam).build());
  final List<Event> events = new ArrayList<>();
  final Retrysafe engine = engine(Policy.create());

  /** Returns another engine on the same store: another process. */
  Retrysafe engine(Policy policy) {
    return Retrysafe.builder(store)
        .policy(policy)
        .seam(seam)
        .listener(events::add)
        .sweepEvery(Duration.ZERO)
        .build();
  }

  /** Claims as a process would that crashes right after: nobody renews, nobody ends it. */
  Operation claimedByACrashedProcess(Policy policy) {
    ManualSeam frozen = new ManualSeam();
    Retrysafe crashed = Retrysafe.builder(store).policy(policy).seam(frozen).build();
    return granted(crashed.begin(KEY, PRINT));
  }

  static Operation granted(Decision decision) {
    assertThat(decision).isInstanceOf(Decision.Granted.class);
    return ((Decision.Granted) decision).operation();
  }

  static Outcome text(String text) {
    return Outcome.of(Bytes.utf8(text));
  }

  Optional<State> state() {
    return store.behind().find(KEY).map(Entry::state);
  }

  List<Event.Kind> kinds() {
    return events.stream().map(Event::kind).toList();
  }
}
