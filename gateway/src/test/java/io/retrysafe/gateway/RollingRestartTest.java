// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.http.testkit.ContractStore;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;

/** Two gateways on one store that are restarted in turn while clients come, wait and leave. */
class RollingRestartTest extends GatewayTests {
  private static final int CALLERS = 12;
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final Map<String, AtomicInteger> charges = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<Gateway> gateways = new AtomicReferenceArray<>(2);
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger left = new AtomicInteger();

  private Upstream charging() throws IOException {
    return started(
        new Upstream(
            (asked, socket) -> {
              String charged = asked.all("Idempotency-Key").get(0);
              charges.computeIfAbsent(charged, k -> new AtomicInteger()).incrementAndGet();
              Thread.sleep(20 + new Random().nextInt(300));
              return Upstream.write(socket, 201, charged);
            }));
  }

  private Gateway gateway(Upstream upstream, Store shared) {
    GatewayConfig.Builder config =
        config(upstream.url()).limits(limits().stopWithin(Duration.ofSeconds(60)));
    return Gateway.start(config.policy(config.policy().lease(LEASE)).build(), shared);
  }

  /** Sends requests with new keys; every second client leaves before its answer comes. */
  private void pay() {
    Random random = new Random();
    while (!isOver.get()) {
      int number = next.incrementAndGet();
      boolean isAnswered = false;
      while (!isAnswered && !isOver.get()) {
        try (Wire wire = new Wire(port(gateways.get(random.nextInt(2))))) {
          wire.send(Wire.post("/payments", "key-" + number));
          if (number % 2 == 0) {
            Thread.sleep(random.nextInt(30));
            left.incrementAndGet();
            isAnswered = true;
          } else {
            Wire.Reply reply = wire.read();
            isAnswered = reply.status() == 201;
            answered.addAndGet(isAnswered ? 1 : 0);
          }
        } catch (IOException e) {
          // This gateway stops: the other one has the same answer.
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }

  private static List<Entry> listed(Store store, EnumSet<State> states) {
    List<Entry> entries = new ArrayList<>();
    Browsable.Query query = Browsable.Query.of(states, 1000);
    Browsable.Page page = ((Browsable) store).browse(query);
    entries.addAll(page.entries());
    while (page.next().isPresent()) {
      page = ((Browsable) store).browse(query.after(page.next().get()));
      entries.addAll(page.entries());
    }
    return entries;
  }

  @Test
  void aRollingRestartUnderLoadLeavesNoOperationUnknown() throws Exception {
    ContractStore stores = started(SharedStores.sqlite());
    Store shared = stores.open();
    Upstream upstream = charging();
    for (int i = 0; i < 2; i++) {
      gateways.set(i, gateway(upstream, shared));
    }
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      Thread caller = new Thread(this::pay, "caller");
      caller.start();
      callers.add(caller);
    }
    for (int restart = 0; restart < 4; restart++) {
      int enough = left.get() + 10;
      until(() -> left.get() > enough);
      Gateway old = gateways.get(restart % 2);
      old.close();
      assertThat(old.runningOperations()).as("running operations after a stop").isZero();
      gateways.set(restart % 2, gateway(upstream, shared));
    }
    isOver.set(true);
    for (Thread caller : callers) {
      caller.join(60_000);
    }
    for (int i = 0; i < 2; i++) {
      gateways.get(i).close();
    }

    assertThat(listed(shared, EnumSet.of(State.IN_PROGRESS, State.UNKNOWN, State.RESUMABLE)))
        .as("unsettled operations")
        .isEmpty();
    assertThat(charges.values()).allMatch(count -> count.get() == 1);
    assertThat(listed(shared, EnumSet.of(State.COMPLETED)).stream().map(e -> e.key().value()))
        .containsAll(charges.keySet());
    assertThat(answered).hasPositiveValue();
  }
}
