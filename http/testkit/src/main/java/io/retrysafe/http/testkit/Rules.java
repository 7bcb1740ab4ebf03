// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A group of rules, with what all groups say. Every test has an account of its own. */
abstract class Rules {
  final Stage stage;
  final String account = "merchant-" + UUID.randomUUID();

  Rules(Stage stage) {
    this.stage = stage;
  }

  /** Returns a script that charges: 201 with a location and a body that says how often. */
  Script charging() {
    Script[] self = new Script[1];
    self[0] =
        script(
            call -> {
              call.status(201);
              call.addHeader("Content-Type", "application/json");
              call.addHeader("Location", "/payments/" + self[0].runs());
              write(call, "{\"charge\":" + self[0].runs() + "}");
            });
    return self[0];
  }

  Script answering(int status, String body) {
    return script(
        call -> {
          call.status(status);
          call.addHeader("Content-Type", "text/plain");
          write(call, body);
        });
  }

  Script script(Application work) {
    Script script = new Script(work);
    stage.add(script);
    return script;
  }

  static void write(Call call, String text) throws IOException {
    call.out().write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns a POST to /payments with a fresh key, an account and a body. */
  Request payment(Script script) {
    return Request.of("POST", "/payments")
        .header(Setup.ACCOUNT, account)
        .header(Script.HEADER, script.id())
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", UUID.randomUUID().toString())
        .body("{\"amount\":100}");
  }

  Wire first() throws IOException {
    return new Wire(stage.firstPort());
  }

  Wire second() throws IOException {
    return new Wire(stage.secondPort());
  }

  Reply send(Request request) throws IOException {
    try (Wire wire = first()) {
      return wire.send(request).read();
    }
  }

  /** Sends to the other instance. */
  Reply resend(Request request) throws IOException {
    try (Wire wire = second()) {
      return wire.send(request).read();
    }
  }

  /** Sends until the answer is not "in progress" any more. */
  Reply settled(Request request) throws IOException {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    Reply reply = resend(request);
    while (reply.text().contains("in-progress") && System.nanoTime() < deadline) {
      LockSupport.parkNanos(10_000_000);
      reply = resend(request);
    }
    return reply;
  }

  static void until(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(5_000_000);
    }
    assertThat(condition.getAsBoolean()).as("in time").isTrue();
  }

  static void assertReplay(Reply first, Reply retry) {
    assertThat(retry.isReplayed()).as("replayed: %s", retry).isTrue();
    assertThat(first.isReplayed()).as("replayed: %s", first).isFalse();
    assertThat(retry.status()).isEqualTo(first.status());
    assertThat(retry.body()).isEqualTo(first.body());
  }
}
