// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;

/** The contract on a memory store with a history of its own. Only run by {@link ContractRun}. */
final class FlawedHistoryContract extends StoreContract {
  static FlawedHistory.Flaw flaw = FlawedHistory.Flaw.NONE;

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    MemoryStore memory = MemoryStore.builder().clock(clock).build();
    Store store = with(memory, new FlawedHistory(memory, flaw));
    String name = "history-" + flaw.name();
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

  private static Store with(Store store, FlawedHistory history) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class, io.retrysafe.store.History.class},
            (proxy, method, arguments) -> {
              try {
                boolean isHistory = method.getDeclaringClass() == io.retrysafe.store.History.class;
                return method.invoke(isHistory ? history : store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
