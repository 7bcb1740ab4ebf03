// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.OperationKey;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Store;
import io.retrysafe.store.testkit.KeyState.Moment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** A store call on one key: it can be sent to a store, and says what the contract makes of it. */
interface ModelCall {

  /** Returns the store's answer. */
  Object send(Store store, OperationKey key);

  /** Returns what may come of this call in {@code state}. Usually one thing. */
  List<Next> on(KeyState state, Moment at);

  /**
   * What may come of a call.
   *
   * @param state what the key is afterwards
   * @param allows whether an answer says so
   */
  record Next(KeyState state, Predicate<Object> allows) {

    static Next answer(KeyState state, Object answer) {
      return new Next(state, answer::equals);
    }

    /** Returns the state as far as {@code answer} makes it known. */
    KeyState seenIn(Object answer) {
      OptionalLong fence = fenceIn(answer);
      return fence.isPresent() && state.live() != null ? state.withFence(fence.getAsLong()) : state;
    }

    private static OptionalLong fenceIn(Object answer) {
      if (answer instanceof Granted granted) {
        return OptionalLong.of(granted.fence());
      }
      if (answer instanceof Held held) {
        return OptionalLong.of(held.entry().fence());
      }
      return answer instanceof Optional<?> found && found.orElse(null) instanceof Entry entry
          ? OptionalLong.of(entry.fence())
          : OptionalLong.empty();
    }
  }
}
