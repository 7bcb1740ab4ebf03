// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.internal.SteadyClock;
import io.retrysafe.store.NearCopies;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Near copies in this process, bounded by the bytes they take: the one longest unused goes first.
 */
public final class MemoryCopies implements NearCopies {
  /** About what a copy takes beside its own bytes and its key's. */
  private static final int OVERHEAD = 256;

  private final Map<OperationKey, Copy> copies = new LinkedHashMap<>(16, 0.75f, true);
  private final InstantSource clock;
  private final long most;
  private long taken;

  private MemoryCopies(long most, InstantSource clock) {
    if (most < 1) {
      throw new IllegalArgumentException("bytes must be positive, was " + most);
    }
    this.most = most;
    this.clock = clock;
  }

  /** Returns copies that take at most about {@code bytes} of memory. */
  public static MemoryCopies create(long bytes) {
    return create(bytes, SteadyClock.create());
  }

  /** Returns copies that take at most about {@code bytes} of memory, and age by {@code clock}. */
  public static MemoryCopies create(long bytes, InstantSource clock) {
    return new MemoryCopies(bytes, clock);
  }

  private record Copy(Bytes bytes, Instant until, long weight) {}

  @Override
  public synchronized Optional<Bytes> get(OperationKey key) {
    return present(key).map(Copy::bytes);
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(OperationKey key, Executor blocking) {
    return CompletableFuture.completedFuture(get(key));
  }

  @Override
  public synchronized void add(OperationKey key, Bytes copy, Duration time) {
    if (present(key).isEmpty()) {
      put(key, copy, time);
    }
  }

  @Override
  public synchronized boolean replace(OperationKey key, Bytes copy, Duration time) {
    remove(key);
    put(key, copy, time);
    return true;
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public synchronized void close() {
    copies.clear();
    taken = 0;
  }

  /** Returns about how many bytes the copies take. */
  synchronized long taken() {
    return taken;
  }

  private Optional<Copy> present(OperationKey key) {
    Copy copy = copies.get(key);
    if (copy == null) {
      return Optional.empty();
    }
    if (!copy.until().isAfter(clock.instant())) {
      remove(key);
      return Optional.empty();
    }
    return Optional.of(copy);
  }

  private void put(OperationKey key, Bytes bytes, Duration time) {
    long weight = OVERHEAD + bytes.size() + 2L * key.toString().length();
    copies.put(key, new Copy(bytes, clock.instant().plus(time), weight));
    taken += weight;
    Iterator<Copy> oldest = copies.values().iterator();
    while (taken > most && oldest.hasNext()) {
      taken -= oldest.next().weight();
      oldest.remove();
    }
  }

  private void remove(OperationKey key) {
    Copy copy = copies.remove(key);
    if (copy != null) {
      taken -= copy.weight();
    }
  }
}
