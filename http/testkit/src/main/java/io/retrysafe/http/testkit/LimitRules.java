// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testkit.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/** Limits, and what a route may set otherwise. */
abstract class LimitRules extends Rules {

  LimitRules(Stage stage) {
    super(stage);
  }

  @Rule("H-51")
  void anAccountWithTooManyOperationsIsToldToComeBack() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Script script =
        script(
            call -> {
              Script.await(go);
              call.status(201);
            });
    List<Wire> wires = new ArrayList<>();
    try {
      for (int i = 0; i < Setup.RUNNING_PER_ACCOUNT; i++) {
        wires.add(first().send(payment(script)));
      }
      until(() -> script.runs() == Setup.RUNNING_PER_ACCOUNT);
      Request request = payment(script);

      Reply refused = send(request);
      Reply other = send(payment(charging()).replace(Setup.ACCOUNT, account + "-other"));

      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.problem()).isEqualTo("too-many-operations");
      assertThat(refused.has("retryable", "true")).isTrue();
      assertThat(refused.all("Retry-After")).singleElement().asString().matches("[1-9][0-9]*");
      assertThat(other.status()).as("another account").isEqualTo(201);
      go.countDown();
      for (Wire wire : wires) {
        assertThat(wire.read().status()).isEqualTo(201);
      }
      assertThat(send(request).isReplayed()).as("nothing was claimed").isFalse();
    } finally {
      go.countDown();
      for (Wire wire : wires) {
        wire.close();
      }
    }
  }

  @Rule("H-52")
  void aRouteMaySay425And400Instead() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Script script =
        script(
            call -> {
              Script.await(go);
              call.status(201);
            });
    Request request = payment(script).to("POST", "/early");
    try (Wire wire = first()) {
      wire.send(request);
      until(() -> script.runs() == 1);

      Reply busy = resend(request);
      Reply reused = resend(request.body("{\"amount\":200}"));

      assertThat(busy.status()).isEqualTo(425);
      assertThat(busy.problem()).isEqualTo("in-progress");
      assertThat(reused.status()).isEqualTo(400);
      assertThat(reused.problem()).isEqualTo("key-reused");
      go.countDown();
      assertThat(wire.read().status()).isEqualTo(201);
    } finally {
      go.countDown();
    }
  }

  @Rule("H-53")
  void aKeyThatIsTooOldIsRefusedWhereTheRouteSaysSo() throws Exception {
    Script script = charging();
    Request request = payment(script).to("POST", "/dated");

    Reply old = send(request.key(keyOf(Duration.ofHours(25))));
    Reply fresh = send(request.key(keyOf(Duration.ofHours(23))));

    assertThat(old.status()).isEqualTo(400);
    assertThat(old.problem()).isEqualTo("key-expired");
    assertThat(fresh.status()).isEqualTo(201);
    assertThat(script.runs()).isEqualTo(1);
  }

  /** Returns a UUIDv7 that was made so long ago. */
  private static String keyOf(Duration age) {
    long millis = System.currentTimeMillis() - age.toMillis();
    UUID random = UUID.randomUUID();
    long high = millis << 16 | 0x7000 | (random.getMostSignificantBits() & 0xfff);
    return new UUID(high, random.getLeastSignificantBits()).toString();
  }
}
