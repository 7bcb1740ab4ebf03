// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.store.AuditNote;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.State;
import io.retrysafe.store.StoreException;
import java.time.Duration;
import java.util.Optional;

/** Resolves what is unknown after asking the upstream, like a careful person. */
final class Operator {
  private final Machine machine;
  private final Truth truth;
  private final Upstream upstream;
  private final Link link;

  Operator(Machine machine, Truth truth, Upstream upstream) {
    this.machine = machine;
    this.truth = truth;
    this.upstream = upstream;
    this.link = new Link(machine, false);
  }

  void resolve(Track track) {
    boolean isSaga = machine.world().plan.settings().isSaga();
    Optional<Entry> seen = truth.find(track.key).filter(e -> e.state() == State.UNKNOWN);
    if (seen.isPresent()) {
      long fence = seen.get().fence() + 1;
      link.call("look up", () -> upstream.lookUp(track, isSaga ? "ship" : "charge", fence))
          // What was shipped may be on its way back: an entry does not show that to a person.
          .filter(found -> !isSaga || found.isEmpty())
          .ifPresent(found -> resolve(seen.get(), found));
    }
  }

  private void resolve(Entry seen, Optional<String> receipt) {
    Duration retention = Duration.ofMillis(machine.world().plan.settings().retention());
    Resolution resolution =
        receipt
            .<Resolution>map(found -> new Resolution.Done(Outcome.of(Bytes.utf8(found)), retention))
            .orElseGet(Resolution.NotDone::new);
    try {
      machine.engine().resolve(seen, resolution, new AuditNote("operator", "asked the upstream"));
    } catch (StoreException e) {
      // Comes back later.
    }
  }
}
