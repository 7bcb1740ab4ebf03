// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testkit.Rule;
import java.util.concurrent.CountDownLatch;

/** Silent stores and clients that go away. */
abstract class TroubleRules extends Rules {
  TroubleRules(Stage stage) {
    super(stage);
  }

  private void assertUnavailable(Reply reply, boolean workRan) {
    assertThat(reply.status()).as("%s", reply).isEqualTo(503);
    assertThat(reply.problem()).isEqualTo("store-unavailable");
    assertThat(reply.has("work_ran", String.valueOf(workRan))).isTrue();
    assertThat(reply.has("retryable", "true")).isTrue();
    assertThat(reply.all("Retry-After")).hasSize(1);
  }

  @Rule("H-46")
  void whileTheStoreIsSilentNothingRuns() throws Exception {
    Script script = charging();
    Request request = payment(script);
    stage.silence(account, true);

    assertUnavailable(send(request), false);

    assertThat(script.runs()).isZero();
    stage.silence(account, false);
    Reply first = settled(request);
    assertThat(first.text()).isEqualTo("{\"charge\":1}");
  }

  @Rule("H-47")
  void anAnswerThatCannotBeRecordedDoesNotLeaveAndIsRecordedLater() throws Exception {
    Script script =
        script(
            call -> {
              stage.silence(account, true);
              call.status(201);
              call.addHeader("Location", "/payments/1");
              call.addHeader("Set-Cookie", "session=1");
              write(call, "charged");
            });
    Request request = payment(script);

    Reply first = send(request);

    assertUnavailable(first, true);
    assertThat(first.all("Location")).isEmpty();
    assertThat(first.all("Set-Cookie")).isEmpty();
    stage.silence(account, false);
    Reply retry = settled(request);
    assertThat(retry.status()).isEqualTo(201);
    assertThat(retry.text()).isEqualTo("charged");
    assertThat(retry.isReplayed()).isTrue();
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-48")
  void anAnswerLeavesOnlyWhenItIsRecorded() throws Exception {
    CountDownLatch recorded = new CountDownLatch(1);
    stage.hold(account, recorded);
    Script script = charging();
    Request request = payment(script);
    try (Wire wire = first()) {
      wire.send(request);
      until(() -> script.runs() == 1);

      assertThat(wire.isSilentFor(300)).isTrue();

      recorded.countDown();
      assertThat(wire.read().text()).isEqualTo("{\"charge\":1}");
    }
  }

  @Rule("H-49")
  void theWorkOfAClientThatWentAwayIsFinishedAndRecorded() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Script script =
        script(
            call -> {
              Script.await(go);
              call.status(201);
              write(call, "charged");
            });
    Request request = payment(script);
    try (Wire wire = first()) {
      wire.send(request);
      until(() -> script.runs() == 1);
    }

    go.countDown();

    Reply retry = settled(request);
    assertThat(retry.status()).isEqualTo(201);
    assertThat(retry.text()).isEqualTo("charged");
    assertThat(retry.isReplayed()).isTrue();
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-50")
  void aStreamWhoseClientWentAwayIsNotRunAgain() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Script script =
        script(
            call -> {
              call.status(200);
              write(call, "first");
              call.flush();
              Script.await(go);
              for (int i = 0; i < 100; i++) {
                call.out().write(new byte[10_000]);
                call.flush();
              }
            });
    Request request = payment(script);
    try (Wire wire = first()) {
      assertThat(wire.send(request).head().status()).isEqualTo(200);
    }

    go.countDown();

    Reply retry = settled(request);
    assertThat(retry.problem()).isIn("answer-not-kept", "outcome-unknown");
    assertThat(script.runs()).isEqualTo(1);
  }
}
