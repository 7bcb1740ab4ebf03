// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testkit.Rule;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** When a request under a known key is another request. */
abstract class FingerprintRules extends Rules {
  FingerprintRules(Stage stage) {
    super(stage);
  }

  private void assertReused(Reply reply) {
    assertThat(reply.status()).as("%s", reply).isEqualTo(422);
    assertThat(reply.problem()).isEqualTo("key-reused");
    assertThat(reply.has("retryable", "false")).isTrue();
  }

  /** A framework may refuse such a spelling before anybody asks for the key. */
  private void assertReusedOrRefused(Reply reply) {
    if (reply.status() != 400 || reply.problem().equals("key-reused")) {
      assertReused(reply);
    }
  }

  @Rule("H-20")
  void anotherBodyQueryOrContentTypeIsAnotherRequest() throws Exception {
    Script script = charging();
    Request request = payment(script);
    Reply first = send(request);

    assertReused(resend(request.body("{\"amount\":101}")));
    assertReused(resend(request.body("")));
    assertReused(resend(request.to("POST", "/payments?x=1")));
    assertReused(resend(request.replace("Content-Type", "text/plain")));
    assertReplay(first, resend(request));
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-54")
  void anotherSpellingOfTheTargetIsAnotherRequest() throws Exception {
    Script script = charging();
    Request request = payment(script);
    Reply first = send(request);

    assertReusedOrRefused(resend(request.to("POST", "/payments;to=bob")));
    assertReusedOrRefused(resend(request.to("POST", "/%70ayments")));
    assertReplay(first, resend(request));
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-21")
  void anotherFramingOfTheSameBodyIsTheSameRequest() throws Exception {
    Script script = charging();
    Request request = payment(script);

    Reply first = send(request.framing(Request.Framing.CHUNKED));

    assertReplay(first, resend(request));
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-22")
  void anotherRequestIsToldSoEvenWhileTheFirstRuns() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Script script =
        script(
            call -> {
              Script.await(go);
              call.status(200);
            });
    Request request = payment(script);
    try (Wire wire = first()) {
      wire.send(request);
      until(() -> script.runs() == 1);

      assertReused(resend(request.body("{}")));

      go.countDown();
      assertThat(wire.read().status()).isEqualTo(200);
    }
  }

  @Rule("H-23")
  void jsonIsComparedByItsMembersAndNumbersByTheirDigits() throws Exception {
    Script script = charging();
    Request request = payment(script).to("POST", "/json");

    Reply first = send(request.body("{\"a\":1,\"n\":9007199254740993}"));

    assertReplay(first, resend(request.body("{ \"n\" : 9007199254740993, \"a\" : 1 }")));
    assertReused(resend(request.body("{\"a\":1,\"n\":9007199254740992}")));
    assertReused(resend(request.body("{\"a\":1.0,\"n\":9007199254740993}")));
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-24")
  void jsonThatCouldBeReadInTwoWaysIsRefused() throws Exception {
    Script script = charging();
    for (String body : List.of("{\"a\":1,\"a\":2}", "{\"a\":1", "{\"a\":\"\\ud800\"}")) {
      Reply reply = send(payment(script).to("POST", "/json").body(body));

      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.problem()).isEqualTo("body-invalid");
    }
    assertThat(script.runs()).isZero();
  }
}
