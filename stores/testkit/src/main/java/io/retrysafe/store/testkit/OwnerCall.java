// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Release;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Token;
import io.retrysafe.store.testkit.KeyState.Live;
import io.retrysafe.store.testkit.KeyState.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an owner asks of its entry, in the model. True if the entry is its own, else false. */
sealed interface OwnerCall extends ModelCall {

  Token token();

  /** Returns the state after the call if {@code live} is the owner's to change, else null. */
  @Nullable KeyState applied(KeyState state, Live live, Moment at);

  @Override
  default List<Next> on(KeyState before, Moment at) {
    KeyState state = before.at(at);
    Live live = state.live();
    KeyState next = live != null && live.token().equals(token()) ? applied(state, live, at) : null;
    return List.of(Next.answer(next == null ? state : next, next != null));
  }

  /** Settles. */
  record Complete(Token token, Outcome outcome, int retention) implements OwnerCall {
    @Override
    public Object send(Store store, OperationKey key) {
      return store.complete(new Owner(key, token), outcome, Duration.ofHours(retention));
    }

    @Override
    public KeyState applied(KeyState state, Live live, Moment at) {
      return live.isSettled() ? state : state.with(live.settled(token, outcome, retention, at));
    }
  }

  /** Gives up. */
  record ReleaseCall(Token token, Release how) implements OwnerCall {
    @Override
    public Object send(Store store, OperationKey key) {
      return store.release(new Owner(key, token), how);
    }

    @Override
    public List<Next> on(KeyState before, Moment at) {
      KeyState state = before.at(at);
      if (state.live() == null && how == Release.FREE && token.equals(state.endedBy())) {
        Next remembered = Next.answer(state, true);
        return state.isEndRemembered()
            ? List.of(remembered)
            : List.of(remembered, Next.answer(state, false));
      }
      return OwnerCall.super.on(state, at);
    }

    @Override
    public @Nullable KeyState applied(KeyState state, Live live, Moment at) {
      if (live.isSettled()) {
        return null;
      }
      return switch (how) {
        case RESUMABLE -> state.with(live.left(Phase.RESUMABLE, token, at));
        case UNKNOWN -> state.with(live.left(Phase.UNKNOWN, token, at));
        case FREE -> freed(state, live, at);
      };
    }

    private KeyState freed(KeyState state, Live live, Moment at) {
      if (live.previous() == PreviousPhase.UNKNOWN) {
        return state.with(live.left(Phase.UNKNOWN, token, at));
      }
      boolean isOver = live.previous() == PreviousPhase.ABSENT && live.steps().isEmpty();
      return isOver ? state.ended(token) : state.with(live.left(Phase.RESUMABLE, token, at));
    }
  }

  /** Keeps its claim. */
  record Renew(Token token, int lease) implements OwnerCall {
    @Override
    public Object send(Store store, OperationKey key) {
      Owner owner = new Owner(key, token);
      return store.renew(Set.of(owner), Duration.ofHours(lease)).contains(owner);
    }

    @Override
    public @Nullable KeyState applied(KeyState state, Live live, Moment at) {
      return live.phase() == Phase.RUNNING
          ? state.with(live.leased(token, live.attempt(), live.previous(), lease, at))
          : null;
    }
  }

  /** Remembers. */
  record Remember(Token token, String name, Bytes result) implements OwnerCall {
    @Override
    public Object send(Store store, OperationKey key) {
      return store.capability(Steps.class).orElseThrow().step(new Owner(key, token), name, result);
    }

    @Override
    public @Nullable KeyState applied(KeyState state, Live live, Moment at) {
      return live.isSettled() ? null : state.with(live.with(name, result));
    }
  }
}
