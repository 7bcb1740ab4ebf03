// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A gateway that is killed with -9 while calls run, again and again. */
class KillTest extends GatewayTests {
  private static final int KILLS = 4;
  private static final int CALLERS = 8;

  private final Map<String, AtomicInteger> charges = new ConcurrentHashMap<>();
  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final List<String> keys = new ArrayList<>();
  private final AtomicInteger next = new AtomicInteger();

  private Upstream charging() throws IOException {
    return started(
        new Upstream(
            (asked, socket) -> {
              String charged = asked.all("Idempotency-Key").get(0);
              int count =
                  charges.computeIfAbsent(charged, k -> new AtomicInteger()).incrementAndGet();
              Thread.sleep(20);
              return Upstream.write(socket, 201, charged + " " + count);
            }));
  }

  /** Pays with one new key after another until the gateway is gone. */
  private void pay(int port) {
    try {
      while (true) {
        String fresh = "key-" + next.incrementAndGet();
        synchronized (keys) {
          keys.add(fresh);
        }
        Wire.Reply reply = Wire.call(port, Wire.post("/payments", fresh));
        assertThat(reply.status()).isEqualTo(201);
        answers.put(fresh, reply.text());
      }
    } catch (IOException e) {
      // Killed.
    }
  }

  @Test
  void settledAnswersSurviveCutOnesAreUnknownAndNothingIsSentTwice() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Upstream upstream = charging();
    Path file = Files.createTempDirectory("killed").resolve("store.db");
    for (int kill = 0; kill < KILLS; kill++) {
      GatewayProcess gateway = started(GatewayProcess.launch(upstream, file));
      int enough = answers.size() + 2 * CALLERS;
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        Thread caller = new Thread(() -> pay(gateway.port()));
        caller.start();
        callers.add(caller);
      }
      until(() -> answers.size() >= enough);
      Thread.sleep(random.nextInt(500));
      gateway.close();
      for (Thread caller : callers) {
        caller.join(60_000);
      }
    }
    GatewayProcess gateway = started(GatewayProcess.launch(upstream, file));

    int unknown = 0;
    for (String each : keys) {
      Wire.Reply[] reply = new Wire.Reply[1];
      until(
          () -> {
            reply[0] = Wire.call(gateway.port(), Wire.post("/payments", each));
            return !reply[0].problem().equals("in-progress");
          });
      if (answers.containsKey(each)) {
        assertThat(reply[0].text()).as("seed %d", seed).isEqualTo(answers.get(each));
        assertThat(reply[0].isReplayed()).as("seed %d", seed).isTrue();
      } else if (reply[0].status() == 409) {
        assertThat(reply[0].problem()).isEqualTo("outcome-unknown");
        unknown++;
      } else {
        assertThat(reply[0].text()).as("seed %d", seed).isEqualTo(each + " 1");
      }
    }
    assertThat(charges.values()).as("seed %d", seed).allMatch(count -> count.get() == 1);
    assertThat(answers).hasSizeGreaterThan(KILLS * CALLERS);
    assertThat(unknown).as("some were cut, seed %d", seed).isPositive();
  }
}
