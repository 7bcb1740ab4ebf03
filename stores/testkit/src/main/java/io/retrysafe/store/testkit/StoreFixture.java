// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.Optional;

/**
 * A store under test, with a second client and a way to move its time.
 *
 * <p>{@link StoreContract} opens one fixture for all its tests, which use fresh keys, and closes it
 * after the last one. The store may hold other entries. It keeps unsettled entries for at least a
 * day past their lease.
 */
public interface StoreFixture extends AutoCloseable {

  /** Returns what the table of results calls it, the name in the store's profile by default. */
  default String name() {
    return store().profile().name();
  }

  /** Returns the store under test, always the same. */
  Store store();

  /**
   * Returns the same entries as another process sees them: its own client, connections and clock.
   * Where only one process can have the store it is the store itself.
   */
  Store secondClient();

  /**
   * Moves the store's time on, for both clients and all entries: by an injected clock, or by
   * shifting every stored time into the past. No call is under way meanwhile.
   */
  void advance(Duration time);

  /**
   * Begins to decide {@code key} in a transaction of its own and leaves it open: an uncommitted
   * claim where the key is absent, a locked entry where it is present. Closing rolls it back. Empty
   * where the store has no such transactions; the rules about contended keys are then not
   * applicable.
   */
  default Optional<Contention> contend(OperationKey key) {
    return Optional.empty();
  }

  /**
   * Makes the stored entry of {@code key} unreadable, as a damaged disk or a later release would:
   * its fingerprint and, if it is settled, its outcome. False where that cannot be; the rule about
   * unreadable entries is then not applicable.
   */
  default boolean damage(OperationKey key) {
    return false;
  }

  @Override
  default void close() {}

  /** An open transaction that is deciding a key. */
  interface Contention extends AutoCloseable {

    /** Rolls the transaction back. */
    @Override
    void close();
  }
}
