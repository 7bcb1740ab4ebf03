// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.io.IOException;
import java.util.List;

/**
 * The same work done in different ways.
 *
 * @param name the work
 * @param calls how many calls a round may have, of all callers together: few enough that what they
 *     leave behind fits
 * @param contenders the ways; what the others are held against is a baseline
 */
record Comparison(String name, int calls, List<Contender> contenders) {
  /** For work that leaves nothing behind. */
  static final int UNLIMITED = Integer.MAX_VALUE;

  /** One way to do the work. */
  record Contender(String name, boolean isBaseline, Opening opening) {
    static Contender baseline(String name, Opening opening) {
      return new Contender(name, true, opening);
    }

    static Contender of(String name, Opening opening) {
      return new Contender(name, false, opening);
    }
  }

  /** Prepares a round: everything that must not be measured. */
  interface Opening {
    /**
     * Opens a round.
     *
     * @param callers how many callers there will be
     * @param calls how many calls each of them makes at most
     */
    Session open(int callers, int calls) throws Exception;
  }

  /** A prepared round. */
  interface Session extends AutoCloseable {
    /** Returns what the caller of this number, counted from 0, does in its loop. */
    Call caller(int number);

    @Override
    default void close() throws IOException {}
  }

  /** What is measured. */
  @FunctionalInterface
  interface Call {
    /**
     * Makes the caller's call of this number, counted from 0, and returns its result so that it
     * cannot be optimized away.
     */
    Object make(int number) throws Exception;
  }
}
