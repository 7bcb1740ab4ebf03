// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Stops a thread at one of the boundaries that it passes: before and after every call to a service
 * or to the store. For all others the thread is dead, until it is thawed.
 */
final class Freezer {
  static final int NEVER = -1;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final int at;
  private final List<String> passed = new CopyOnWriteArrayList<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CountDownLatch thawed = new CountDownLatch(1);
  private final Thread thread;

  Freezer(int at, Runnable attempt) {
    this.at = at;
    this.thread =
        new Thread(
            () -> {
              attempt.run();
              stopped.countDown();
            },
            "attempt");
    thread.setDaemon(true);
  }

  /** Runs the attempt until it is frozen or over. */
  void run() throws InterruptedException {
    thread.start();
    await(stopped);
  }

  /** Lets a frozen attempt go on: it was only slow. */
  void thaw() throws InterruptedException {
    thawed.countDown();
    thread.join(PATIENCE.toMillis());
    if (thread.isAlive()) {
      throw new AssertionError("the attempt did not end after " + passed);
    }
  }

  /** Returns the boundaries that were passed so far; the last one is where it was frozen. */
  List<String> passed() {
    return passed;
  }

  /** Returns {@code target} with a boundary before and after every call that the attempt makes. */
  <T> T around(T target, Class<T> face, Class<?>... more) {
    Class<?>[] faces = new Class<?>[more.length + 1];
    faces[0] = face;
    System.arraycopy(more, 0, faces, 1, more.length);
    return face.cast(
        Proxy.newProxyInstance(
            Freezer.class.getClassLoader(),
            faces,
            (proxy, method, args) ->
                method.isDefault()
                    ? InvocationHandler.invokeDefault(proxy, method, args)
                    : call(target, method, args)));
  }

  private Object call(Object target, Method method, Object[] args) throws Throwable {
    boolean isBoundary = Thread.currentThread() == thread && !method.getName().equals("profile");
    if (isBoundary) {
      pass("before " + method.getName());
    }
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } finally {
      if (isBoundary) {
        pass("after " + method.getName());
      }
    }
  }

  private void pass(String boundary) throws InterruptedException {
    passed.add(boundary);
    if (passed.size() - 1 == at) {
      stopped.countDown();
      await(thawed);
    }
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("nothing happened for " + PATIENCE);
    }
  }
}
