// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;

/** A test of the rule with this id in the contract's document. */
@Test
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Rule {
  /** Returns the rule's id, such as {@code C-07}. */
  String value();
}
