// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.OperationKey;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Token;
import io.retrysafe.store.testkit.CallHistory.Sent;
import io.retrysafe.store.testkit.KeyState.Moment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** What callers did to one key, hour by hour, and what they learned of it. */
final class Episode {
  final OperationKey key;
  private final List<Token> tokens = new CopyOnWriteArrayList<>();
  private final List<Entry> seen = new CopyOnWriteArrayList<>();
  private final List<CallHistory> hours = new ArrayList<>();
  private Set<KeyState> states = Set.of(KeyState.ABSENT);

  Episode(OperationKey key) {
    this.key = key;
  }

  /** Tells the other callers what an answer gives away. */
  void learn(ModelCall call, Object answer) {
    if (call instanceof ClaimCall claim && answer instanceof Granted) {
      tokens.add(claim.token());
    } else if (answer instanceof Held held) {
      seen.add(held.entry());
    } else if (answer instanceof Optional<?> found && found.orElse(null) instanceof Entry entry) {
      seen.add(entry);
    }
  }

  /** Returns the token of a grant, mostly the last one. */
  Optional<Token> token(Random random) {
    return recent(tokens, random);
  }

  /** Returns an entry that somebody saw, mostly the last one. */
  Optional<Entry> seen(Random random) {
    return recent(seen, random);
  }

  private static <T> Optional<T> recent(List<T> list, Random random) {
    int size = list.size();
    if (size == 0) {
      return Optional.empty();
    }
    return Optional.of(list.get(random.nextInt(3) > 0 ? size - 1 : random.nextInt(size)));
  }

  /**
   * Checks the calls of an hour against the model.
   *
   * @throws AssertionError with the whole history if no order of them explains the answers
   */
  void check(List<Sent> calls, Moment at) {
    CallHistory history = new CallHistory(calls, at);
    hours.add(history);
    states = history.ends(states);
    if (states.isEmpty()) {
      StringBuilder text = new StringBuilder("no order of these calls explains their answers:");
      hours.forEach(hour -> text.append('\n').append(hour));
      throw new AssertionError(text);
    }
  }

  /** Lets time pass in the model. */
  void pass() {
    Set<KeyState> before = states;
    states = new HashSet<>();
    before.forEach(state -> states.add(state.later()));
  }
}
