// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;

/** Stores of which one capability is replaced. */
final class Decorated {
  private Decorated() {}

  /** Returns {@code store} with only this capability, as {@code capability} has it. */
  static <T> Store with(Store store, Class<T> type, T capability) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("capability")) {
                return arguments[0] == type ? Optional.of(capability) : Optional.empty();
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  static StoreFixture fixture(String name, Store store, ManualClock clock) {
    return new StoreFixture() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Store store() {
        return store;
      }

      @Override
      public Store secondClient() {
        return store;
      }

      @Override
      public void advance(Duration time) {
        clock.advance(time);
      }
    };
  }
}
