// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.Decision;
import io.retrysafe.Event;
import io.retrysafe.EventLoop;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.TestEngines;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import io.retrysafe.store.memory.MemoryStore;
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

  final ManualRuntime runtime = new ManualRuntime();
  final FlakyStore store = new FlakyStore(MemoryStore.builder().clock(runtime).build());
  final List<Event> events = new ArrayList<>();
  final Retrysafe engine = engine(Policy.create());

  /** Returns another engine on the same store: another process. */
  Retrysafe engine(Policy policy) {
    return TestEngines.builder(store, runtime)
        .policy(policy)
        .listener(events::add)
        .sweepEvery(Duration.ZERO)
        .build();
  }

  /** Claims as a process would that crashes right after: nobody renews, nobody ends it. */
  ClaimedOperation claimedByACrashedProcess(Policy policy) {
    ManualRuntime frozen = new ManualRuntime();
    Retrysafe crashed = TestEngines.builder(store, frozen).policy(policy).build();
    return granted(crashed.begin(KEY, PRINT));
  }

  static ClaimedOperation granted(Decision decision) {
    assertThat(decision).isInstanceOf(Decision.Granted.class);
    return ClaimedOperation.of((Decision.Granted) decision);
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
