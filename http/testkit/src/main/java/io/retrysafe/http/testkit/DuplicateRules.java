// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testkit.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What duplicates get while the first request runs. */
abstract class DuplicateRules extends Rules {
  private static final int CROWD = 20;

  DuplicateRules(Stage stage) {
    super(stage);
  }

  private Script holding(CountDownLatch go) {
    return script(
        call -> {
          Script.await(go);
          call.status(201);
          write(call, "charged");
        });
  }

  @Rule("H-25")
  void aDuplicateOfARunningRequestIsToldWhenToComeBack() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Script script = holding(go);
    Request request = payment(script);
    try (Wire wire = first()) {
      wire.send(request);
      until(() -> script.runs() == 1);

      for (Reply reply : List.of(send(request), resend(request))) {
        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.problem()).isEqualTo("in-progress");
        assertThat(reply.has("retryable", "true")).isTrue();
        assertThat(reply.all("Retry-After")).singleElement().asString().matches("[1-9][0-9]*");
        assertThat(reply.has("retry_after", reply.all("Retry-After").get(0))).isTrue();
      }

      go.countDown();
      assertReplay(wire.read(), resend(request));
      assertThat(script.runs()).isEqualTo(1);
    }
  }

  @Rule("H-26")
  void aCrowdOnBothInstancesRunsOnce() throws Exception {
    Script script = charging();
    Request request = payment(script);
    List<Wire> wires = new ArrayList<>();
    try {
      for (int i = 0; i < CROWD; i++) {
        wires.add(i % 2 == 0 ? first() : second());
      }
      for (Wire wire : wires) {
        wire.send(request);
      }
      int own = 0;
      for (Wire wire : wires) {
        Reply reply = wire.read();
        boolean isOwn = reply.status() == 201 && !reply.isReplayed();
        own += isOwn ? 1 : 0;
        boolean isAnswer = reply.status() == 201 && reply.text().equals("{\"charge\":1}");
        assertThat(isAnswer || reply.problem().equals("in-progress")).as("%s", reply).isTrue();
      }
      assertThat(own).isEqualTo(1);
      assertThat(script.runs()).isEqualTo(1);
    } finally {
      for (Wire wire : wires) {
        wire.close();
      }
    }
  }

  @Rule("H-27")
  void aDuplicateWaitsWhereTheRouteSaysSo() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Script script = holding(go);
    Request request = payment(script).to("POST", "/waiting");
    try (Wire one = first();
        Wire two = first();
        Wire three = second()) {
      one.send(request);
      until(() -> script.runs() == 1);
      two.send(request);
      three.send(request);
      assertThat(two.isSilentFor(200)).isTrue();
      assertThat(three.isSilentFor(50)).isTrue();

      go.countDown();

      Reply first = one.read();
      assertReplay(first, two.read());
      assertReplay(first, three.read());
      assertThat(script.runs()).isEqualTo(1);
    }
  }

  @Rule("H-28")
  void aRequestWhoseLeaseEndedIsUnknownAndNotRunAgain() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Script script = holding(go);
    Request request = payment(script);
    try (Wire wire = first()) {
      wire.send(request);
      until(() -> script.runs() == 1);
      stage.advance(Duration.ofMinutes(2));

      Reply reply = resend(request);

      assertThat(reply.status()).isEqualTo(409);
      assertThat(reply.problem()).isEqualTo("outcome-unknown");
      assertThat(reply.has("retryable", "false")).isTrue();
      go.countDown();
      assertThat(wire.read().status()).as("a slow owner that nobody replaced").isEqualTo(201);
      assertThat(script.runs()).isEqualTo(1);
    }
  }
}
