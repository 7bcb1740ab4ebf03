// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** The contract on a store whose capabilities come and go. Only run by {@link ContractRun}. */
final class FickleContract extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    MemoryStore memory = MemoryStore.builder().clock(clock).build();
    AtomicInteger asked = new AtomicInteger();
    Store store =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, arguments) ->
                    method.getName().equals("capability") && asked.incrementAndGet() % 3 == 0
                        ? Optional.empty()
                        : method.invoke(memory, arguments));
    return Decorated.fixture("fickle", store, clock);
  }
}
