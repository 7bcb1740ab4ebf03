// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** The work of an operation that has no result. */
@FunctionalInterface
public interface Action<X extends Exception> {
  void run(Operation operation) throws X;
}
