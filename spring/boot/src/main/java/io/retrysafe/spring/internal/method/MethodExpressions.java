// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.method;

import io.retrysafe.spring.Idempotent;
import io.retrysafe.spring.internal.startup.StartupException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The expressions of an annotation, parsed once; arguments are {@code #name} or {@code #p0}. */
final class MethodExpressions {
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  private final Method method;
  private final Expression key;
  private final @Nullable Expression account;
  private final @Nullable Expression fingerprint;

  MethodExpressions(Idempotent annotation, Method method, String where) {
    this.method = method;
    this.key = parsed(annotation.key(), where);
    this.account = annotation.account().isEmpty() ? null : parsed(annotation.account(), where);
    this.fingerprint =
        annotation.fingerprint().isEmpty() ? null : parsed(annotation.fingerprint(), where);
    boolean usesNames = (annotation.key() + annotation.account()).matches("(?s).*#[a-zA-Z].*");
    if (usesNames && method.getParameterCount() > 0 && NAMES.getParameterNames(method) == null) {
      throw new StartupException(
          where + " uses names of parameters, but the class was compiled without them.",
          "Compile with -parameters, or write #p0 for the first one.");
    }
  }

  private static Expression parsed(String text, String where) {
    try {
      return PARSER.parseExpression(text);
    } catch (ParseException e) {
      throw new StartupException(
          where + " has the expression \"" + text + "\", which cannot be read: " + e.getMessage(),
          "Correct it.",
          e);
    }
  }

  String key(Object target, @Nullable Object[] arguments) {
    Object value = key.getValue(context(target, arguments));
    String text = value == null ? "" : value.toString();
    if (text.isBlank()) {
      throw new IllegalArgumentException(
          "the key "
              + key.getExpressionString()
              + " of "
              + method.getName()
              + " is empty; without a key nothing can be remembered");
    }
    return text;
  }

  @Nullable String account(
      Object target, @Nullable Object[] arguments, @Nullable String otherwise) {
    if (account == null) {
      return otherwise;
    }
    Object value = account.getValue(context(target, arguments));
    if (value == null || value.toString().isBlank()) {
      throw new IllegalArgumentException(
          "the account "
              + account.getExpressionString()
              + " of "
              + method.getName()
              + " is empty; a key is only safe inside an account");
    }
    return value.toString();
  }

  boolean hasFingerprint() {
    return fingerprint != null;
  }

  @Nullable Object fingerprint(Object target, @Nullable Object[] arguments) {
    return fingerprint == null ? null : fingerprint.getValue(context(target, arguments));
  }

  private EvaluationContext context(Object target, @Nullable Object[] arguments) {
    return new MethodBasedEvaluationContext(target, method, arguments, NAMES);
  }
}
