// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.store.Browsable;
import io.retrysafe.store.History;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;

/**
 * A memory store whose calls a test may hold up, fail or answer itself. Unlike the store inside it
 * does not claim to answer at once, so that it is called from threads that may block.
 */
final class Intercepted {
  private static final Class<?>[] ALL = {
    Steps.class, Browsable.class, Resolvable.class, Sweepable.class, History.class, Secrets.class
  };

  private Intercepted() {}

  /** The call as the store inside answers it. */
  interface Inside {
    Object call() throws Throwable;
  }

  /** What becomes of a call. */
  interface Interception {
    Object call(String method, Inside inside) throws Throwable;
  }

  static Store store(Store inner, Interception interception) {
    return store(inner, interception, ALL);
  }

  /** Returns a store that is no more than {@code capabilities}. */
  static Store store(Store inner, Interception interception, Class<?>... capabilities) {
    Class<?>[] types = Arrays.copyOf(capabilities, capabilities.length + 1);
    types[capabilities.length] = Store.class;
    return (Store)
        Proxy.newProxyInstance(
            Intercepted.class.getClassLoader(),
            types,
            (proxy, method, arguments) ->
                method.isDefault()
                    ? InvocationHandler.invokeDefault(proxy, method, arguments)
                    : interception.call(
                        method.getName(),
                        () -> {
                          try {
                            return method.invoke(inner, arguments);
                          } catch (InvocationTargetException e) {
                            throw e.getCause();
                          }
                        }));
  }
}
