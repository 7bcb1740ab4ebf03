// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Contended;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.store.testkit.KeyState.Live;
import io.retrysafe.store.testkit.KeyState.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/** A claim in the model. */
record ClaimCall(Fingerprint fingerprint, Token token, int lease, TakeOver takeOver)
    implements ModelCall {

  @Override
  public Object send(Store store, OperationKey key) {
    return store.claim(new Claim(key, fingerprint, token, Duration.ofHours(lease), takeOver));
  }

  @Override
  public List<Next> on(KeyState before, Moment at) {
    KeyState state = before.at(at);
    // "Contended" says nothing and changes nothing, so it is never wrong.
    List<Next> next = new ArrayList<>();
    next.add(new Next(state, answer -> answer instanceof Contended));
    Live live = state.live();
    if (live != null) {
      next.add(onPresent(state, live, at));
    } else if (!token.equals(state.endedBy()) || !state.isEndRemembered()) {
      Live first = Live.first(token, fingerprint, lease, at);
      next.add(grant(state, first));
    }
    return next;
  }

  private Next onPresent(KeyState state, Live live, Moment at) {
    boolean isOwn = live.token().equals(token);
    boolean isSame = live.fingerprint().equals(fingerprint);
    if (isSame && isOwn && live.phase() == Phase.RUNNING) {
      Live again = live.leased(token, live.attempt(), live.previous(), lease, at);
      return new Next(state.with(again), answer -> isGrant(answer, again, state::hasFence));
    }
    boolean isLapsed = live.isLapsed(at);
    Duration age = Duration.ofHours(at.hour() - live.createdAt());
    if (isSame
        && !isOwn
        && (live.phase() == Phase.RESUMABLE
            || (isLapsed && takeOver.allows(live.attempt(), age)))) {
      PreviousPhase was = isLapsed ? PreviousPhase.UNKNOWN : PreviousPhase.RESUMABLE;
      return grant(state, live.leased(token, live.attempt() + 1, was, lease, at));
    }
    return new Next(
        state,
        answer ->
            answer instanceof Held held
                && live.isShownBy(held.entry(), at)
                && state.hasFence(held.entry().fence()));
  }

  private static Next grant(KeyState state, Live next) {
    return new Next(
        state.granted(next), answer -> isGrant(answer, next, fence -> fence > state.fence()));
  }

  private static boolean isGrant(Object answer, Live live, LongPredicate fence) {
    return answer instanceof Granted granted
        && granted.attempt() == live.attempt()
        && granted.previous() == live.previous()
        && granted.steps().equals(live.steps())
        && fence.test(granted.fence());
  }
}
