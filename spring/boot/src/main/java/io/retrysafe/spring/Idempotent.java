// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An operation that has one effect and one answer, however often it is asked for.
 *
 * <p>On a handler of Spring MVC, or a whole controller, the key comes with the request; a retry
 * gets the recorded response. On a method of any other bean the key is an expression; a retry gets
 * the recorded result, or one of the {@linkplain io.retrysafe.RetrysafeException typed exceptions}.
 */
@Documented
@Inherited
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {

  /**
   * The key of a method's operation, in the Spring Expression Language: {@code #order.id}. Needed
   * there, and not allowed on handlers.
   */
  String key() default "";

  /**
   * Who asks for a method's operation, as an expression. By default the authenticated caller where
   * there is one, else the application itself.
   */
  String account() default "";

  /**
   * What makes two calls of a method the same, as an expression; all arguments by default. Calls
   * under one key that differ in it are refused.
   */
  String fingerprint() default "";

  /**
   * What a method's operation is called, together with its key; the class's simple name and the
   * method's by default. Changing it makes all operations new ones.
   */
  String name() default "";

  /** Whether the answer is recorded in the transaction of the work. */
  Transaction transaction() default Transaction.SEPARATE;

  /**
   * What differs here from the properties, by the same names: {@code "retention=48h"}, {@code
   * "failures=release"}.
   */
  String[] settings() default {};

  /** How recording the answer goes together with the transaction of the work. */
  enum Transaction {
    /** The answer is recorded after the work's own transactions: they may differ after a crash. */
    SEPARATE,
    /**
     * Work and answer are one transaction in the store's database: both are committed or neither
     * is. What fails is rolled back and may be tried again.
     */
    JOIN
  }
}
