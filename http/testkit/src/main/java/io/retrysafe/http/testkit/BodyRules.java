// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.testkit.Rule;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/** Large, slow and structured bodies, in both directions. */
abstract class BodyRules extends Rules {
  BodyRules(Stage stage) {
    super(stage);
  }

  private void assertNotKept(Reply retry, int status) {
    assertThat(retry.status()).as("%s", retry).isEqualTo(409);
    assertThat(retry.problem()).isEqualTo("answer-not-kept");
    assertThat(retry.has("original_status", String.valueOf(status))).isTrue();
    assertThat(retry.has("retryable", "false")).isTrue();
  }

  @Rule("H-37")
  void anAnswerOverTheLimitReachesItsCallerWholeAndIsNotKept() throws Exception {
    for (int size : new int[] {Setup.ANSWER_LIMIT + 1, 40 * Setup.ANSWER_LIMIT}) {
      byte[] bytes = new byte[size];
      new Random(size).nextBytes(bytes);
      Script script =
          script(
              call -> {
                call.status(200);
                call.addHeader("Content-Type", "application/octet-stream");
                for (int at = 0; at < size; at += 1000) {
                  call.out().write(bytes, at, Math.min(1000, size - at));
                }
              });
      Request request = payment(script);

      Reply first = send(request);

      assertThat(first.status()).isEqualTo(200);
      assertThat(first.body().equals(Bytes.copyOf(bytes))).as("%d bytes", size).isTrue();
      assertNotKept(settled(request), 200);
      assertThat(script.runs()).isEqualTo(1);
    }
  }

  @Rule("H-38")
  void whatIsFlushedEarlyLeavesAtOnceAndIsNotKept() throws Exception {
    streamed("text/plain");
  }

  @Rule("H-39")
  void anEventStreamLeavesAsItIsWrittenAndIsNotKept() throws Exception {
    streamed("text/event-stream");
  }

  private void streamed(String type) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Script script =
        script(
            call -> {
              call.status(200);
              call.addHeader("Content-Type", type);
              write(call, "data: 1\n\n");
              call.flush();
              Script.await(go);
              write(call, "data: 2\n\n");
            });
    Request request = payment(script);
    try (Wire wire = first()) {
      Reply head = wire.send(request).head();
      assertThat(head.status()).isEqualTo(200);
      StringBuilder seen = new StringBuilder();
      while (!seen.toString().contains("data: 1\n\n")) {
        seen.append(wire.some(1));
      }
      assertThat(resend(request).problem()).isEqualTo("in-progress");

      go.countDown();

      while (!seen.toString().contains("data: 2\n\n")) {
        seen.append(wire.some(1));
      }
      assertNotKept(settled(request), 200);
      assertThat(script.runs()).isEqualTo(1);
    }
  }

  @Rule("H-40")
  void aBodyOverTheLimitIsRefusedBeforeAnyClaim() throws Exception {
    Script script = charging();
    Request request = payment(script);
    byte[] large = new byte[Setup.BODY_LIMIT + 1];

    Reply announced = send(request.framing(Request.Framing.NO_BODY).body(Bytes.wrap(large)));
    assertThat(announced.status()).isEqualTo(413);
    assertThat(announced.problem()).isEqualTo("body-too-large");

    // A server may cut the connection once it has answered, before all is sent.
    int most = Setup.BODY_LIMIT + 1;
    try (Wire wire = first()) {
      byte[] chunked = request.framing(Request.Framing.CHUNKED).body(Bytes.wrap(large)).toBytes();
      wire.send(Arrays.copyOf(chunked, Math.min(chunked.length, most + 1000)));
      Reply counted = wire.read();
      assertThat(counted.status()).isEqualTo(413);
      assertThat(counted.problem()).isEqualTo("body-too-large");
    }

    assertThat(send(request).status()).as("the key is free").isEqualTo(201);
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-41")
  void theHandlerReadsTheWholeBody() throws Exception {
    for (int size : new int[] {0, 1, Setup.BODY_MEMORY, Setup.BODY_MEMORY + 1, Setup.BODY_LIMIT}) {
      byte[] bytes = new byte[size];
      new Random(size).nextBytes(bytes);
      Script script =
          script(
              call -> {
                byte[] read = call.body();
                call.status(Arrays.equals(read, bytes) ? 200 : 500);
                write(call, read.length + " bytes");
              });
      Request request =
          payment(script)
              .replace("Content-Type", "application/octet-stream")
              .body(Bytes.copyOf(bytes));

      Reply first = send(request);

      assertThat(first.text()).isEqualTo(size + " bytes");
      assertThat(first.status()).isEqualTo(200);
      assertReplay(first, resend(request.framing(Request.Framing.CHUNKED)));
    }
  }

  @Rule("H-42")
  void theHandlerReadsTheFieldsOfAForm() throws Exception {
    Script script =
        script(
            call -> {
              call.status(200);
              write(call, call.field("name").orElse("absent") + "/" + call.field("b").orElse(""));
            });
    Request request =
        payment(script)
            .replace("Content-Type", "application/x-www-form-urlencoded")
            .body("name=Zo%C3%AB+M&a=1&b=2");

    Reply first = send(request);

    assertThat(first.text()).isEqualTo("Zo\u00eb M/2");
    assertReplay(first, resend(request));
  }

  @Rule("H-43")
  void theHandlerReadsThePartsOfAMultipartFormAndAnotherBoundaryIsTheSameRequest()
      throws Exception {
    Script script =
        script(
            call -> {
              call.status(200);
              write(call, call.field("name").orElse("absent"));
            });
    Request request = payment(script);

    Reply first = send(multipart(request, "abc", "Ada"));

    assertThat(first.text()).isEqualTo("Ada");
    assertReplay(first, resend(multipart(request, "abc", "Ada")));
    assertReplay(first, resend(multipart(request, "xyz-123", "Ada")));
    assertThat(resend(multipart(request, "abc", "Eve")).problem()).isEqualTo("key-reused");
    assertThat(script.runs()).isEqualTo(1);
  }

  private static Request multipart(Request request, String boundary, String name) {
    String body =
        String.join(
            "\r\n",
            "--" + boundary,
            "Content-Disposition: form-data; name=\"name\"",
            "",
            name,
            "--" + boundary,
            "Content-Disposition: form-data; name=\"file\"; filename=\"a.bin\"",
            "Content-Type: application/octet-stream",
            "",
            "\u0000\u0001",
            "--" + boundary + "--",
            "");
    return request.replace("Content-Type", "multipart/form-data; boundary=" + boundary).body(body);
  }

  @Rule("H-44")
  void aSlowBodyHoldsNothing() throws Exception {
    Script script = charging();
    Request request = payment(script);
    byte[] whole = request.toBytes();
    try (Wire slow = first()) {
      slow.send(Arrays.copyOf(whole, whole.length - 3));
      assertThat(slow.isSilentFor(100)).isTrue();

      Reply first = resend(request);

      assertThat(first.text()).isEqualTo("{\"charge\":1}");
      slow.send(Arrays.copyOfRange(whole, whole.length - 3, whole.length));
      assertReplay(first, slow.read());
    }
  }

  @Rule("H-45")
  void aClientThatWaitsForContinueGetsItOnlyIfItsBodyIsWanted() throws Exception {
    Script script = charging();
    Request request =
        payment(script).header("Expect", "100-continue").framing(Request.Framing.NO_BODY);
    byte[] body = request.body().toArray();
    try (Wire refused = first();
        Wire wanted = first()) {
      Reply reply = refused.send(request.without("Idempotency-Key")).read();
      assertThat(reply.problem()).isEqualTo("key-missing");
      assertThat(reply.continues()).isZero();

      wanted.send(request);
      assertThat(wanted.head().status()).isEqualTo(100);
      assertThat(wanted.send(body).read().status()).isEqualTo(201);
    }
    assertReplay(
        resend(request.without("Expect").framing(Request.Framing.LENGTH)),
        send(request.without("Expect").framing(Request.Framing.LENGTH)),
        "{\"charge\":1}");
  }

  private static void assertReplay(Reply one, Reply two, String text) {
    for (Reply reply : List.of(one, two)) {
      assertThat(reply.isReplayed()).isTrue();
      assertThat(reply.text()).isEqualTo(text);
    }
  }
}
