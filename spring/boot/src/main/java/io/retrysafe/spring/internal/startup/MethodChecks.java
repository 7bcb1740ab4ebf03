// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.startup;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** Checks of annotated methods that handlers and other beans have in common. */
public final class MethodChecks {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.spring");
  private static final List<String> METHOD_SECURITY =
      List.of(
          "org.springframework.security.access.prepost.PreAuthorize",
          "org.springframework.security.access.prepost.PostAuthorize",
          "org.springframework.security.access.annotation.Secured",
          "jakarta.annotation.security.RolesAllowed",
          "jakarta.annotation.security.DenyAll");
  private static final List<String> LATER =
      List.of(
          "org.springframework.web.context.request.async.DeferredResult",
          "org.springframework.web.context.request.async.WebAsyncTask",
          "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
          "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
          "org.reactivestreams.Publisher");

  private MethodChecks() {}

  public static void warnOf(List<String> secured) {
    if (!secured.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the security of these methods is not asked on a replay, only that of the filter chain:"
              + " {0}; define a ReplayAuthorizer bean, or secure their paths",
          secured);
    }
  }

  public static List<String> secured(Collection<Method> methods) {
    return methods.stream()
        .filter(MethodChecks::isSecured)
        .map(ClassUtils::getQualifiedMethodName)
        .sorted()
        .toList();
  }

  private static boolean isSecured(Method method) {
    MergedAnnotations own = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
    MergedAnnotations ofType =
        MergedAnnotations.from(method.getDeclaringClass(), SearchStrategy.TYPE_HIERARCHY);
    return METHOD_SECURITY.stream().anyMatch(name -> own.isPresent(name) || ofType.isPresent(name));
  }

  /** Returns whether a result of this type comes later. */
  public static boolean isLater(Class<?> type) {
    return Callable.class.isAssignableFrom(type)
        || Future.class.isAssignableFrom(type)
        || CompletionStage.class.isAssignableFrom(type)
        || LATER.stream().anyMatch(name -> isA(type, name));
  }

  private static boolean isA(Class<?> type, String name) {
    return ClassUtils.isPresent(name, type.getClassLoader())
        && ClassUtils.resolveClassName(name, type.getClassLoader()).isAssignableFrom(type);
  }

  public static boolean isHandler(Method method) {
    return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
        .isPresent("org.springframework.web.bind.annotation.RequestMapping");
  }
}
