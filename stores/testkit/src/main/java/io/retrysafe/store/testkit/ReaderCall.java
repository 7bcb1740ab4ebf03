// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Phase;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Store;
import io.retrysafe.store.Token;
import io.retrysafe.store.testkit.KeyState.Live;
import io.retrysafe.store.testkit.KeyState.Moment;
import java.util.List;
import java.util.Optional;

/** What others than an owner ask, in the model. */
sealed interface ReaderCall extends ModelCall {

  /** Looks. */
  record Find() implements ReaderCall {
    @Override
    public Object send(Store store, OperationKey key) {
      return store.find(key);
    }

    @Override
    public List<Next> on(KeyState before, Moment at) {
      KeyState state = before.at(at);
      Live live = state.live();
      if (live == null) {
        return List.of(Next.answer(state, Optional.empty()));
      }
      return List.of(new Next(state, answer -> isShown(answer, state, live, at)));
    }

    private static boolean isShown(Object answer, KeyState state, Live live, Moment at) {
      return answer instanceof Optional<?> found
          && found.orElse(null) instanceof Entry entry
          && live.isShownBy(entry, at)
          && state.hasFence(entry.fence());
    }
  }

  /** Says an operator's resolution about the entry that was seen. */
  record Resolve(Entry seen, Token token, Resolution resolution, int retention)
      implements ReaderCall {
    @Override
    public Object send(Store store, OperationKey key) {
      return store.capability(Resolvable.class).orElseThrow().resolve(seen, token, resolution);
    }

    @Override
    public List<Next> on(KeyState before, Moment at) {
      KeyState state = before.at(at);
      Live live = state.live();
      if (live == null) {
        Next changed = Next.answer(state, Resolved.CHANGED);
        if (!token.equals(state.endedBy())) {
          return List.of(changed);
        }
        Next remembered = Next.answer(state, Resolved.APPLIED);
        return state.isEndRemembered() ? List.of(remembered) : List.of(remembered, changed);
      }
      if (live.token().equals(token)) {
        return List.of(Next.answer(state, Resolved.APPLIED));
      }
      boolean isSame = live.token().equals(seen.token()) && state.hasFence(seen.fence());
      if (!isSame || (live.isSettled() && !(resolution instanceof Resolution.Forget))) {
        return List.of(Next.answer(state, Resolved.CHANGED));
      }
      return List.of(
          live.isLeased(at)
              ? Next.answer(state, Resolved.LEASED)
              : Next.answer(applied(state, live, at), Resolved.APPLIED));
    }

    private KeyState applied(KeyState state, Live live, Moment at) {
      if (resolution instanceof Resolution.Done done) {
        return state.with(live.settled(token, done.outcome(), retention, at));
      }
      return resolution instanceof Resolution.NotDone && !live.steps().isEmpty()
          ? state.with(live.left(Phase.RESUMABLE, token, at))
          : state.ended(token);
    }
  }
}
