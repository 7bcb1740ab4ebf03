// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Two instances of one application on one store, for all tests of a contract. */
final class Stage implements AutoCloseable {
  private final Map<String, Script> scripts = new ConcurrentHashMap<>();
  private final Set<String> silent = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<String, CountDownLatch> held = new ConcurrentHashMap<>();
  private final ContractStore store;
  private final Instance first;
  private final Instance second;

  Stage(HttpFixture fixture) throws Exception {
    this.store = fixture.store();
    this.first = fixture.start(setup());
    this.second = fixture.start(setup());
  }

  private Setup setup() {
    Store opened = new SwitchedStore(store.open(), silent, held);
    return new Setup(opened, this::handle);
  }

  private void handle(Call call) throws Exception {
    String id = call.header(Script.HEADER).orElse("no header");
    Script script = scripts.get(id);
    if (script == null) {
      throw new IllegalStateException("no script " + id);
    }
    script.run(call);
  }

  void add(Script script) {
    scripts.put(script.id(), script);
  }

  int firstPort() {
    return first.port();
  }

  int secondPort() {
    return second.port();
  }

  void advance(Duration time) {
    store.advance(time);
  }

  /** Makes the store silent for an account, or not. */
  void silence(String account, boolean isSilent) {
    if (isSilent) {
      silent.add(account);
    } else {
      silent.remove(account);
    }
  }

  /** Holds completions of an account until the latch is down. */
  void hold(String account, CountDownLatch latch) {
    held.put(account, latch);
  }

  @Override
  public void close() throws IOException {
    try {
      first.close();
    } finally {
      try {
        second.close();
      } finally {
        store.close();
      }
    }
  }
}
