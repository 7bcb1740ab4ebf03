// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Entry;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Token;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a key from outside its store. A generation ends when its settled or unsettled
 * entry expires, not when the key is freed.
 */
final class Track {
  /** A claim that was granted. */
  static final class Grant {
    final Machine machine;
    final long fence;
    final int attempt;
    final int generation;
    final PreviousPhase previous;
    final Set<String> steps;
    boolean isWorking;
    boolean isUnknown;
    long lostAt = Long.MAX_VALUE;

    Grant(
        Machine machine,
        long fence,
        int attempt,
        int generation,
        PreviousPhase previous,
        Set<String> steps) {
      this.machine = machine;
      this.fence = fence;
      this.attempt = attempt;
      this.generation = generation;
      this.previous = previous;
      this.steps = new HashSet<>(steps);
    }
  }

  /** An outcome that was recorded. */
  record Recorded(int generation, Fingerprint fingerprint, Outcome outcome) {}

  final OperationKey key;
  final Map<Token, Grant> grants = new HashMap<>();
  private final Map<Long, Grant> byFence = new HashMap<>();
  final List<Recorded> recorded = new ArrayList<>();
  final Set<String> steps = new HashSet<>();
  Optional<Entry> last = Optional.empty();
  long leaseEnd;
  long keptUntil;
  long highestFence;
  int generation = 1;
  boolean isExpired;
  boolean hasRun;

  Track(OperationKey key) {
    this.key = key;
  }

  /** A token may be granted twice: an operator freed its entry, and its claim landed once more. */
  void granted(Token token, Grant grant) {
    grants.put(token, grant);
    byFence.put(grant.fence, grant);
  }

  Grant grant(long fence) {
    Grant grant = byFence.get(fence);
    if (grant == null) {
      throw new IllegalStateException("no grant has the fence " + fence);
    }
    return grant;
  }

  /** Returns whether an attempt said so; of a token that was granted twice each grant counts. */
  boolean wasSaidToBeUnknown() {
    return byFence.values().stream().anyMatch(grant -> grant.isUnknown);
  }

  boolean isRecorded(Outcome.Kind kind, Bytes body) {
    return recorded.stream()
        .map(Recorded::outcome)
        .anyMatch(outcome -> outcome.kind() == kind && outcome.body().equals(body));
  }

  boolean isRecorded(Outcome.Kind kind) {
    return recorded.stream().anyMatch(each -> each.outcome().kind() == kind);
  }

  void nextGeneration() {
    generation++;
    isExpired = false;
    steps.clear();
    hasRun = false;
  }

  @Override
  public String toString() {
    return Wire.short_(key);
  }
}
