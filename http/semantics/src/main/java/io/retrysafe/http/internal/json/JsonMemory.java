// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.json;

import io.retrysafe.http.body.BodyMemory;

/**
 * The memory that one JSON body takes while it is read: the members of its open objects. Bounded by
 * itself, and taken from the budget of all bodies in blocks.
 */
public final class JsonMemory implements AutoCloseable {
  /** The most bytes that the members of one body's open objects may take. */
  static final int MOST = 8 << 20;

  private static final int BLOCK = 64 << 10;

  /** An estimate of what a member takes beside its bytes: three objects and a list's slot. */
  private static final int MEMBER = 80;

  private final BodyMemory budget;
  private int held;
  private int taken;

  JsonMemory(BodyMemory budget) {
    this.budget = budget;
  }

  /** Thrown where all bodies together take too much memory just now. */
  public static final class ExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ExhaustedException() {
      super("request bodies take all of the memory that they may take", null, false, false);
    }
  }

  void hold(byte[] name, byte[] value) throws MalformedJsonException {
    held += MEMBER + name.length + value.length;
    if (held > MOST) {
      throw new MalformedJsonException(
          "its objects take more than " + (MOST >> 20) + " MiB of memory to compare");
    }
    while (taken < held) {
      if (!budget.take(BLOCK)) {
        throw new ExhaustedException();
      }
      taken += BLOCK;
    }
  }

  void release(byte[] name, byte[] value) {
    held -= MEMBER + name.length + value.length;
  }

  @Override
  public void close() {
    budget.giveBack(taken);
    taken = 0;
  }
}
