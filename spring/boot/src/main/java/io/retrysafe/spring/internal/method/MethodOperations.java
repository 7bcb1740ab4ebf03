// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.method;

import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.spring.Idempotent;
import io.retrysafe.spring.Idempotent.Transaction;
import io.retrysafe.spring.internal.startup.MethodChecks;
import io.retrysafe.spring.internal.startup.StartupException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** The annotated methods of beans, each prepared once. */
final class MethodOperations {
  private final Supplier<Retrysafe> engine;
  private final MethodPolicies policies;
  private final Supplier<Optional<JsonValueCodec>> json;
  private final Map<Method, MethodOperation> operations = new ConcurrentHashMap<>();
  private final Map<String, Method> names = new ConcurrentHashMap<>();

  MethodOperations(
      Supplier<Retrysafe> engine,
      MethodPolicies policies,
      Supplier<Optional<JsonValueCodec>> json) {
    this.engine = engine;
    this.policies = policies;
    this.json = json;
  }

  MethodOperation of(Method method, Class<?> type) {
    Method specific = ClassUtils.getMostSpecificMethod(method, type);
    MethodOperation known = operations.get(specific);
    return known == null ? operations.computeIfAbsent(specific, this::prepared) : known;
  }

  private MethodOperation prepared(Method method) {
    String where = "@Idempotent on " + ClassUtils.getQualifiedMethodName(method);
    Idempotent annotation = AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
    if (annotation == null || annotation.key().isEmpty()) {
      throw new StartupException(
          where + " has no key.", "Give it one as an expression, such as key = \"#order.id\".");
    }
    if (MethodChecks.isLater(method.getReturnType())) {
      throw new StartupException(
          where + " is on a method that returns its result asynchronously, which is not supported.",
          "Return the result itself.");
    }
    String name =
        annotation.name().isEmpty()
            ? method.getDeclaringClass().getSimpleName() + "." + method.getName()
            : annotation.name();
    Method other = names.putIfAbsent(name, method);
    if (other != null && !other.equals(method)) {
      throw new StartupException(
          where
              + " is called "
              + name
              + ", as is "
              + ClassUtils.getQualifiedMethodName(other)
              + ": one's keys would be the other's.",
          "Give one of them a name of its own.");
    }
    Policy policy = policies.of(annotation, where);
    engine.get().check(policy);
    return new MethodOperation(
        method,
        name,
        new MethodExpressions(annotation, method, where),
        policy,
        annotation.transaction() == Transaction.JOIN,
        new ValueCodec(method, json.get(), where));
  }
}
