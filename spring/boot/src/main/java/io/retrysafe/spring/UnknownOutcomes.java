// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

/**
 * The exceptions that leave the outcome of an operation unknown. A bean of this type applies to all
 * handlers and methods, instead of {@linkplain
 * io.retrysafe.Policy#unknownOn(java.util.function.Predicate) the default}.
 */
@FunctionalInterface
public interface UnknownOutcomes {

  /** Returns whether the effect may have happened although the work threw this. */
  boolean isUnknown(Throwable thrown);
}
