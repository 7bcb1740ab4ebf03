// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

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
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Puts {@link IdempotentInterceptor} around beans with annotated methods that are not handlers,
 * outside of all other advice: a transaction is to be inside. Refuses beans on whose methods the
 * annotation would do nothing.
 */
final class IdempotentMethods extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private static final long serialVersionUID = 1;

  private final transient MethodOperations operations;

  IdempotentMethods(MethodInterceptor interceptor, MethodOperations operations) {
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
    List<Method> annotated = new ArrayList<>();
    ReflectionUtils.doWithMethods(
        type,
        annotated::add,
        method -> AnnotatedElementUtils.hasAnnotation(method, Idempotent.class));
    for (Method method : annotated) {
      int modifiers = method.getModifiers();
      boolean isHandler = StartChecks.isHandler(method);
      boolean isUnreachable =
          Modifier.isPrivate(modifiers)
              || Modifier.isStatic(modifiers)
              || (!isHandler
                  && (Modifier.isFinal(modifiers) || Modifier.isFinal(type.getModifiers())));
      if (isUnreachable) {
        throw new StartException(
            "@Idempotent on "
                + ClassUtils.getQualifiedMethodName(method)
                + " would do nothing: the method is private, static or final, or its class is"
                + " final.",
            "Make it a method that Spring can override, and call it from another bean.");
      }
      if (!isHandler && !method.isBridge()) {
        operations.of(method, type);
      }
    }
  }

  /** Annotated methods, also of annotated classes, that are not handlers. */
  private static final class Annotated extends StaticMethodMatcherPointcut {
    @Override
    public boolean matches(Method method, Class<?> targetClass) {
      Method specific = ClassUtils.getMostSpecificMethod(method, targetClass);
      return AnnotatedElementUtils.hasAnnotation(specific, Idempotent.class)
          && !StartChecks.isHandler(specific);
    }
  }
}
