// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.method;

import io.retrysafe.spring.Idempotent;
import io.retrysafe.spring.internal.startup.MethodChecks;
import io.retrysafe.spring.internal.startup.StartupException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Puts {@link IdempotentInterceptor} around beans with annotated methods that are not handlers,
 * outside of all other advice: a transaction is to be inside. Refuses beans on whose methods the
 * annotation would do nothing.
 */
final class IdempotentBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private static final long serialVersionUID = 1;

  private final transient MethodOperations operations;

  IdempotentBeanPostProcessor(MethodInterceptor interceptor, MethodOperations operations) {
    this.operations = operations;
    this.advisor = new DefaultPointcutAdvisor(new Annotated(), interceptor);
    this.beforeExistingAdvisors = true;
    setProxyTargetClass(true);
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    Class<?> type = AopUtils.getTargetClass(bean);
    check(ClassUtils.getUserClass(type));
    return super.postProcessAfterInitialization(bean, name);
  }

  private void check(Class<?> type) {
    if (type.getName().startsWith("org.springframework.")) {
      return;
    }
    MergedAnnotations ofType = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
    if (ofType.isPresent(Idempotent.class)
        && !ofType.isPresent("org.springframework.stereotype.Controller")) {
      throw new StartupException(
          "@Idempotent on the class " + type.getName() + " would do nothing: it is no controller.",
          "Put it on the methods, each with a key of its own.");
    }
    for (Method method : annotated(type)) {
      int modifiers = method.getModifiers();
      boolean isHandler = MethodChecks.isHandler(method);
      boolean isUnreachable =
          Modifier.isPrivate(modifiers)
              || Modifier.isStatic(modifiers)
              || (!isHandler
                  && (Modifier.isFinal(modifiers) || Modifier.isFinal(type.getModifiers())));
      if (isUnreachable) {
        throw new StartupException(
            "@Idempotent on "
                + ClassUtils.getQualifiedMethodName(method)
                + " would do nothing: the method is private, static or final, or its class is"
                + " final.",
            "Make it a method that Spring can override, and call it from another bean.");
      }
      if (!isHandler && !method.isBridge()) {
        operations.of(method, type);
        MethodChecks.warnOf(MethodChecks.secured(List.of(method)));
      }
    }
  }

  /** Returns the annotated methods; none of a class that cannot be looked at as a whole. */
  private static List<Method> annotated(Class<?> type) {
    List<Method> annotated = new ArrayList<>();
    try {
      ReflectionUtils.doWithMethods(
          type,
          annotated::add,
          method -> AnnotatedElementUtils.hasAnnotation(method, Idempotent.class));
    } catch (IllegalStateException e) {
      // A class of others whose optional libraries are missing.
      return List.of();
    }
    return annotated;
  }

  /** Annotated methods that are not handlers. */
  private static final class Annotated extends StaticMethodMatcherPointcut {
    @Override
    public boolean matches(Method method, Class<?> targetClass) {
      Method specific = ClassUtils.getMostSpecificMethod(method, targetClass);
      return AnnotatedElementUtils.hasAnnotation(specific, Idempotent.class)
          && !MethodChecks.isHandler(specific);
    }
  }
}
