// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.Phase;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The near side as the layered store uses it: entries in, entries out, sealed, and never for longer
 * than they are worth something.
 */
final class Near {
  /** What a message may take on its way before it counts: a copy ends this much earlier. */
  private static final Duration ON_THE_WAY = Duration.ofSeconds(1);

  private static final System.Logger LOG = System.getLogger(LayeredStore.class.getName());

  /** How many forgotten answers this process remembers. */
  private static final int MOST_FORGOTTEN = 10_000;

  private final NearCopies copies;
  private final Seal seal;
  private final Duration longest;
  private final InstantSource clock;
  private final Forgotten forgotten;

  Near(NearCopies copies, Seal seal, Duration longest, InstantSource clock) {
    this.copies = copies;
    this.seal = seal;
    this.longest = longest;
    this.clock = clock;
    this.forgotten = new Forgotten(this::drop, longest, clock, MOST_FORGOTTEN);
  }

  Instant now() {
    return clock.instant();
  }

  Optional<Entry> find(OperationKey key) {
    if (forgotten.contains(key)) {
      return Optional.empty();
    }
    return copies.get(key).flatMap(whole -> entry(key, whole));
  }

  /** Finds as {@link #find(OperationKey)} does, without holding the caller's thread. */
  CompletionStage<Optional<Entry>> find(OperationKey key, Executor blocking) {
    if (forgotten.contains(key)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return copies
        .get(key, blocking)
        .thenCompose(
            found ->
                found.isEmpty()
                    ? CompletableFuture.completedFuture(Optional.empty())
                    // Checking the seal of a large copy takes a while.
                    : CompletableFuture.supplyAsync(() -> entry(key, found.get()), blocking));
  }

  private Optional<Entry> entry(OperationKey key, Bytes whole) {
    return seal.open(key, whole.toArray())
        .flatMap(copy -> CopyFormat.read(key, copy, clock.instant()));
  }

  /** Copies what a claim was answered by the record, if it is a settled entry. */
  void copy(ClaimResult result, Instant asked) {
    if (result instanceof ClaimResult.Held held && held.entry().phase() == Phase.SETTLED) {
      copy(held.entry(), asked);
    }
  }

  /**
   * Copies a settled entry of the record.
   *
   * @param asked when the record was asked: the copy's time counts from there
   */
  void copy(Entry entry, Instant asked) {
    Duration left = Duration.between(entry.times().readAt(), entry.times().expiresAt());
    Duration worth = left.compareTo(longest) < 0 ? left : longest;
    Instant until = asked.plus(worth).minus(ON_THE_WAY);
    Duration time = Duration.between(clock.instant(), until);
    if (time.toMillis() > 0) {
      byte[] copy = CopyFormat.write(entry, until);
      copies.add(entry.key(), Bytes.wrap(seal.close(entry.key(), copy)), time);
    }
  }

  /**
   * Drops the copy, and keeps out one that is on its way. This process believes no copy of the key
   * from now on.
   *
   * @return false where nobody knows
   */
  boolean forget(OperationKey key) {
    forgotten.add(key);
    return isDropped(key);
  }

  /** Drops the copy once more, now or later, after the record forgot the entry. */
  void forgetAgain(OperationKey key, boolean isAnswering) {
    if (!isAnswering || !isDropped(key)) {
      forgotten.dropLater(key);
    }
  }

  /** Ends the near side. */
  void close() {
    forgotten.close();
    copies.close();
  }

  /** Drops the copy; whatever the near side throws must not keep the record from forgetting. */
  private boolean isDropped(OperationKey key) {
    try {
      return drop(key);
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "A forgotten answer could not be dropped; it is tried again", e);
      return false;
    }
  }

  private boolean drop(OperationKey key) {
    return copies.replace(key, Bytes.wrap(seal.close(key, CopyFormat.forgotten())), longest);
  }
}
