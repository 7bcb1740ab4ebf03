// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** What would be wrong at the first request is said at the start. */
final class StartChecks {
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

  private final Supplier<Joining> joining;
  private final BooleanSupplier hasReplayAuthorizer;

  StartChecks(Supplier<Joining> joining, BooleanSupplier hasReplayAuthorizer) {
    this.joining = joining;
    this.hasReplayAuthorizer = hasReplayAuthorizer;
  }

  /** Looks at all annotated handlers together. */
  void handlers(Collection<Method> handlers, boolean isAnyJoined) {
    if (isAnyJoined) {
      joining.get().check();
    }
    if (!hasReplayAuthorizer.getAsBoolean()) {
      warnOf(secured(handlers));
    }
  }

  static void warnOf(List<String> secured) {
    if (!secured.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the security of these methods is not asked on a replay, only that of the filter chain:"
              + " {0}; define a ReplayAuthorizer bean, or secure their paths",
          secured);
    }
  }

  static List<String> secured(Collection<Method> methods) {
    return methods.stream()
        .filter(StartChecks::isSecured)
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

  /** Refuses to join a handler that goes on in another thread. */
  void joinable(Method handler) {
    if (isLater(handler.getReturnType())) {
      throw new StartException(
          ClassUtils.getQualifiedMethodName(handler)
              + " goes on in another thread, so its transaction cannot be joined.",
          "Return the result itself, or use transaction = SEPARATE.");
    }
  }

  /** Returns whether a result of this type comes later. */
  static boolean isLater(Class<?> type) {
    return Callable.class.isAssignableFrom(type)
        || Future.class.isAssignableFrom(type)
        || CompletionStage.class.isAssignableFrom(type)
        || LATER.stream().anyMatch(name -> isA(type, name));
  }

  private static boolean isA(Class<?> type, String name) {
    return ClassUtils.isPresent(name, type.getClassLoader())
        && ClassUtils.resolveClassName(name, type.getClassLoader()).isAssignableFrom(type);
  }

  static boolean isHandler(Method method) {
    return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
        .isPresent("org.springframework.web.bind.annotation.RequestMapping");
  }
}
