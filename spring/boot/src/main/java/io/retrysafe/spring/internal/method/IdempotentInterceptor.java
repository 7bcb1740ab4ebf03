// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.method;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.RetrysafeException;
import io.retrysafe.spring.internal.transaction.NoActiveTransaction;
import io.retrysafe.spring.internal.transaction.SpringTransaction;
import io.retrysafe.spring.internal.transaction.TransactionJoiner;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The interceptor that runs annotated methods once per key and returns recorded results. */
final class IdempotentInterceptor implements MethodInterceptor {
  private final Supplier<Retrysafe> engine;
  private final MethodOperations operations;
  private final Supplier<TransactionJoiner> joining;
  private final Supplier<@Nullable String> caller;
  private final Supplier<ObservationRegistry> observations;

  IdempotentInterceptor(
      Supplier<Retrysafe> engine,
      MethodOperations operations,
      Supplier<TransactionJoiner> joining,
      Supplier<@Nullable String> caller,
      Supplier<ObservationRegistry> observations) {
    this.engine = engine;
    this.operations = operations;
    this.joining = joining;
    this.caller = caller;
    this.observations = observations;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = Objects.requireNonNull(invocation.getThis());
    MethodOperation operation = operations.of(invocation.getMethod(), target.getClass());
    NoActiveTransaction.require(operation.name());
    Observation observation =
        Observation.createNotStarted("retrysafe.method", observations.get())
            .lowCardinalityKeyValue("operation", operation.name())
            .start();
    AtomicReference<String> result = new AtomicReference<>("replay");
    Observation.Scope scope = observation.openScope();
    try {
      return run(operation, target, invocation, result);
    } catch (RetrysafeException e) {
      result.compareAndSet("replay", e.getClass().getSimpleName());
      throw e;
    } finally {
      scope.close();
      observation
          .lowCardinalityKeyValue("result", Objects.requireNonNullElse(result.get(), "replay"))
          .stop();
    }
  }

  @SuppressWarnings("NullAway") // results may be null, which it does not see in type arguments
  private @Nullable Object run(
      MethodOperation method,
      Object target,
      MethodInvocation invocation,
      AtomicReference<String> result)
      throws Throwable {
    @Nullable Object[] arguments = invocation.getArguments();
    OperationKey key = method.key(target, arguments, caller.get());
    AtomicReference<@Nullable SpringTransaction> transaction = new AtomicReference<>();
    try {
      return engine
          .get()
          .<@Nullable Object, Exception>run(
              key,
              method.fingerprint(target, arguments),
              method.policy(),
              method.codec(),
              operation -> {
                result.set("run");
                if (method.isJoined()) {
                  join(method, operation, transaction);
                }
                try {
                  return proceed(invocation);
                } catch (Exception | Error e) {
                  // Before the engine frees the key.
                  rollBack(transaction);
                  throw e;
                }
              });
    } finally {
      rollBack(transaction);
    }
  }

  /** Does nothing to a transaction that was committed. */
  private static void rollBack(AtomicReference<@Nullable SpringTransaction> transaction) {
    SpringTransaction begun = transaction.get();
    if (begun != null) {
      begun.rollBack();
    }
  }

  private void join(
      MethodOperation method,
      Operation operation,
      AtomicReference<@Nullable SpringTransaction> transaction) {
    SpringTransaction begun = joining.get().begin(method.name());
    transaction.set(begun);
    operation.settleWith(begun);
  }

  private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
    try {
      return invocation.proceed();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
