// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;

/** A test of the rule with this id in {@code docs/store-contract.md}. */
@Test
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Rule {
  String value();
}
