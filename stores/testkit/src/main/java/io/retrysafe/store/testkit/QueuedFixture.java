// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The same stores, asked through their queues: what is promised holds there too. */
public final class QueuedFixture implements StoreFixture {
  private final StoreFixture inner;
  private final ExecutorService blocking = Executors.newCachedThreadPool();
  private final Store store;
  private final Store second;

  private QueuedFixture(StoreFixture inner) {
    this.inner = inner;
    this.store = queued(inner.store());
    this.second = queued(inner.secondClient());
  }

  /** Returns a fixture of stores that have the capability {@link Queued}. */
  public static StoreFixture of(StoreFixture inner) {
    return new QueuedFixture(inner);
  }

  /** Returns a store with the same capabilities whose queued calls go through the queue. */
  private Store queued(Store direct) {
    Queued queue = direct.capability(Queued.class).orElseThrow();
    return (Store)
        Proxy.newProxyInstance(
            direct.getClass().getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("claim") && arguments.length == 1) {
                return answer(queue.claim((Claim) arguments[0], blocking));
              }
              if (method.getName().equals("complete") && arguments.length == 3) {
                return answer(
                    queue.complete(
                        (Owner) arguments[0],
                        (Outcome) arguments[1],
                        (Duration) arguments[2],
                        blocking));
              }
              if (method.getName().equals("release") && arguments.length == 2) {
                return answer(
                    queue.release((Owner) arguments[0], (Release) arguments[1], blocking));
              }
              return called(direct, method, arguments);
            });
  }

  private static Object answer(CompletionStage<?> stage) throws Throwable {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause();
    }
  }

  private static Object called(Store direct, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(direct, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public Store secondClient() {
    return second;
  }

  @Override
  public void advance(Duration time) {
    inner.advance(time);
  }

  @Override
  public Optional<Contention> contend(OperationKey key) {
    return inner.contend(key);
  }

  @Override
  public boolean damage(OperationKey key) {
    return inner.damage(key);
  }

  @Override
  public void close() {
    inner.close();
    blocking.shutdown();
  }
}
