// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testkit.Rule;
import java.net.SocketTimeoutException;
import java.util.List;

/** What an answer means for its retries. */
abstract class OutcomeRules extends Rules {
  OutcomeRules(Stage stage) {
    super(stage);
  }

  @Rule("H-29")
  void aRefusalFreesTheKeyAlsoForACorrectedBody() throws Exception {
    for (int status : List.of(400, 401, 403, 415, 422, 429)) {
      Script refusing = answering(status, "no");
      Request request = payment(refusing);
      assertThat(send(request).status()).isEqualTo(status);
      Reply again = resend(request);
      assertThat(again.status()).isEqualTo(status);
      assertThat(again.isReplayed()).isFalse();

      Script charging = charging();
      Reply corrected =
          resend(request.replace(Script.HEADER, charging.id()).body("{\"amount\":1}"));

      assertThat(corrected.status()).isEqualTo(201);
      assertThat(refusing.runs()).isEqualTo(2);
    }
  }

  @Rule("H-30")
  void otherStatusesAreFinal() throws Exception {
    for (int status : List.of(200, 202, 404, 409, 410, 500, 503)) {
      Script script = answering(status, "status " + status);
      Request request = payment(script);

      assertReplay(send(request), resend(request));
      assertThat(script.runs()).isEqualTo(1);
    }
  }

  @Rule("H-31")
  void whatAHandlerThrowsIsKept() throws Exception {
    Script script =
        script(
            call -> {
              throw new IllegalStateException("secret-of-the-handler");
            });
    Request request = payment(script);

    Reply first = send(request);
    Reply retry = resend(request);

    assertThat(first.status()).isEqualTo(500);
    assertReplay(first, retry);
    assertThat(script.runs()).isEqualTo(1);

    Script timingOut =
        script(
            call -> {
              throw new SocketTimeoutException("secret-of-the-handler");
            });
    Request doubtful = payment(timingOut);

    assertThat(send(doubtful).status()).isGreaterThanOrEqualTo(500);
    assertThat(resend(doubtful).problem()).isEqualTo("outcome-unknown");
    assertThat(timingOut.runs()).isEqualTo(1);
  }

  @Rule("H-32")
  void whatTheFrameworkAnswersToAnErrorIsKept() throws Exception {
    Script script = script(call -> call.error(500));
    Request request = payment(script);

    Reply first = send(request);

    assertThat(first.status()).isEqualTo(500);
    assertReplay(first, resend(request));
    assertThat(script.runs()).isEqualTo(1);

    Script throwing =
        script(
            call -> {
              throw new IllegalStateException("no");
            });
    for (Script failing :
        List.of(throwing, script(call -> call.error(500)), answering(500, "no"))) {
      Request doubtful = payment(failing).to("POST", "/doubtful");
      assertThat(send(doubtful).status()).isEqualTo(500);
      assertThat(resend(doubtful).problem()).isEqualTo("outcome-unknown");
      assertThat(failing.runs()).isEqualTo(1);
    }
  }

  @Rule("H-33")
  void aRouteMayReleaseFailures() throws Exception {
    Script throwing =
        script(
            call -> {
              throw new IllegalStateException("no");
            });
    for (Script script : List.of(throwing, answering(500, "no"))) {
      Request request = payment(script).to("POST", "/released");
      assertThat(send(request).status()).isEqualTo(500);
      assertThat(resend(request).status()).isEqualTo(500);
      assertThat(script.runs()).isEqualTo(2);
    }
  }

  @Rule("H-34")
  void theHandlerSaysItInAHeaderThatIsNotSent() throws Exception {
    for (String word : List.of("final", "refused", "unknown")) {
      Script script =
          script(
              call -> {
                call.status(word.equals("final") ? 422 : 201);
                call.addHeader("Retrysafe-Outcome", word);
                write(call, word);
              });
      Request request = payment(script);

      Reply first = send(request);
      Reply retry = resend(request);

      assertThat(first.all("Retrysafe-Outcome")).isEmpty();
      assertThat(first.text()).isEqualTo(word);
      switch (word) {
        case "final" -> assertReplay(first, retry);
        case "refused" -> assertThat(retry.isReplayed()).isFalse();
        default -> assertThat(retry.problem()).isEqualTo("outcome-unknown");
      }
      assertThat(script.runs()).isEqualTo(word.equals("refused") ? 2 : 1);
    }
  }

  @Rule("H-35")
  void aRouteSaysWhatItsStatusesMean() throws Exception {
    Script missing = answering(404, "no");
    Script cut = answering(502, "cut");
    Script wrong = answering(400, "wrong");
    for (Script script : List.of(missing, cut, wrong)) {
      Request request = payment(script).to("POST", "/statuses");
      Reply first = send(request);
      Reply retry = resend(request);
      if (script == missing) {
        assertThat(retry.isReplayed()).isFalse();
        assertThat(script.runs()).isEqualTo(2);
      } else if (script == cut) {
        assertThat(first.text()).isEqualTo("cut");
        assertThat(retry.problem()).isEqualTo("outcome-unknown");
        assertThat(script.runs()).isEqualTo(1);
      } else {
        assertReplay(first, retry);
      }
    }
  }

  @Rule("H-36")
  void aHandlerThatGoesOnInAnotherThreadIsRecordedAtItsEnd() throws Exception {
    Script script =
        script(
            call ->
                call.later(
                    later -> {
                      later.status(201);
                      later.addHeader("Location", "/payments/1");
                      write(later, "later");
                    }));
    Request request = payment(script);

    Reply first = send(request);

    assertThat(first.text()).isEqualTo("later");
    Reply retry = settled(request);
    assertReplay(first, retry);
    assertThat(retry.all("Location")).containsExactly("/payments/1");
    assertThat(script.runs()).isEqualTo(1);
  }
}
