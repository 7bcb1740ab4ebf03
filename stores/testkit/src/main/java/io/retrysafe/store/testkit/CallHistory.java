// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.ClaimResult.Contended;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.testkit.KeyState.Moment;
import io.retrysafe.store.testkit.ModelCall.Next;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Calls on one key that overlapped in time, with their answers, all within one hour of the model.
 *
 * <h2>What is checked</h2>
 *
 * Each call must have happened at one moment between its sending and its answer. So there must be
 * an order of the calls that keeps "answered before the other was sent" and in which the model
 * gives every answer that the store gave. A call without an answer may also not have happened.
 *
 * <h2>How</h2>
 *
 * A depth-first search for such orders, one call at a time, which remembers where it was: the calls
 * done and the state they led to. A call whose answer says that it changed nothing is taken as soon
 * as the answer fits: taking it later cannot help any other call. That keeps the search small.
 */
final class CallHistory {
  private static final int MOST = Long.SIZE - 1;
  private static final int MOST_VISITED = 5_000_000;

  private final List<Sent> calls;
  private final Moment at;
  private final long required;
  private final Set<Node> visited = new HashSet<>();
  private final Set<KeyState> ends = new HashSet<>();

  /**
   * A call and its answer.
   *
   * @param answer null if there was none
   */
  record Sent(ModelCall call, @Nullable Object answer, long from, long to, String by) {
    boolean changedNothing() {
      return answer instanceof Held
          || answer instanceof Contended
          || answer instanceof Optional
          || (answer instanceof Resolved && answer != Resolved.APPLIED)
          || Boolean.FALSE.equals(answer);
    }

    @Override
    public String toString() {
      String said = answer == null ? "no answer" : answer.toString();
      return "%,12d %,12d ns  %s  %s -> %s".formatted(from, to, by, call, said);
    }
  }

  private record Node(long done, KeyState state) {}

  CallHistory(List<Sent> calls, Moment at) {
    if (calls.size() > MOST) {
      throw new IllegalArgumentException(
          "a history has at most " + MOST + " calls, was " + calls.size());
    }
    this.calls = calls.stream().sorted(Comparator.comparingLong(Sent::from)).toList();
    this.at = at;
    long answered = 0;
    for (int i = 0; i < this.calls.size(); i++) {
      if (this.calls.get(i).answer() != null) {
        answered |= 1L << i;
      }
    }
    this.required = answered;
  }

  /** Returns the states that the key may be in afterwards; none if the answers make no sense. */
  Set<KeyState> ends(Set<KeyState> starts) {
    for (KeyState start : starts) {
      search(0, start.at(at));
    }
    return ends;
  }

  private void search(long done, KeyState state) {
    if (!visited.add(new Node(done, state))) {
      return;
    }
    if (visited.size() > MOST_VISITED) {
      throw new AssertionError("too many calls overlap for a verdict:\n" + this);
    }
    if ((done & required) == required) {
      ends.add(state);
    }
    List<Node> branches = new ArrayList<>();
    long deadline = firstAnswer(done);
    for (int i = 0; i < calls.size(); i++) {
      Sent sent = calls.get(i);
      if ((done >>> i & 1) != 0 || sent.from() > deadline) {
        continue;
      }
      for (KeyState next : after(sent, state)) {
        if (sent.changedNothing() && next.equals(state)) {
          search(done | 1L << i, state);
          return;
        }
        branches.add(new Node(done | 1L << i, next));
      }
    }
    branches.forEach(branch -> search(branch.done, branch.state));
  }

  private long firstAnswer(long done) {
    long first = Long.MAX_VALUE;
    for (int i = 0; i < calls.size(); i++) {
      if ((done >>> i & 1) == 0) {
        first = Math.min(first, calls.get(i).to());
      }
    }
    return first;
  }

  private Set<KeyState> after(Sent sent, KeyState state) {
    Set<KeyState> states = new HashSet<>();
    for (Next next : sent.call().on(state, at)) {
      if (sent.answer() == null) {
        states.add(next.state());
      } else if (next.allows().test(sent.answer())) {
        states.add(next.seenIn(sent.answer()));
      }
    }
    return states;
  }

  @Override
  public String toString() {
    return calls.stream()
        .map(sent -> "hour " + at.hour() + " " + sent)
        .collect(Collectors.joining("\n"));
  }
}
