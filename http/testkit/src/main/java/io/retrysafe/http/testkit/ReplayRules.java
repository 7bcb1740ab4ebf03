// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.http.Header;
import io.retrysafe.testkit.Rule;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** That a retry gets the same answer. */
abstract class ReplayRules extends Rules {
  ReplayRules(Stage stage) {
    super(stage);
  }

  @Rule("H-13")
  void aRetryGetsTheSameAnswerFromTheSameInstance() throws Exception {
    Script script = charging();
    Request request = payment(script);

    Reply first = send(request);

    assertThat(first.status()).isEqualTo(201);
    assertThat(first.text()).isEqualTo("{\"charge\":1}");
    assertReplay(first, send(request));
    assertReplay(first, send(request));
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-14")
  void aRetryGetsTheSameAnswerFromAnotherInstance() throws Exception {
    Script script = charging();
    Request request = payment(script);

    assertReplay(send(request), resend(request));
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-15")
  void headersAreReplayedInOrderAndNumber() throws Exception {
    Script script =
        script(
            call -> {
              call.status(200);
              call.addHeader("ETag", "\"1\"");
              call.addHeader("Link", "<a>");
              call.addHeader("Link", "<b>");
              call.addHeader("X-Amount", "100");
              call.addHeader("Link", "<a>");
              call.addHeader("Content-Type", "application/vnd.api+json;charset=utf-8");
              write(call, "{}");
            });
    Request request = payment(script);

    Reply first = send(request);
    Reply retry = resend(request);

    assertReplay(first, retry);
    assertThat(first.all("Link")).containsExactly("<a>", "<b>", "<a>");
    for (String name : List.of("ETag", "Link", "X-Amount", "Content-Type")) {
      assertThat(retry.all(name)).as(name).isEqualTo(first.all(name));
    }
    assertThat(own(retry)).isEqualTo(own(first));
  }

  /** Returns the lines that are the application's, in order of their names' first lines. */
  private static List<String> own(Reply reply) {
    return reply.headers().stream()
        .filter(
            h -> List.of("etag", "link", "x-amount").contains(h.name().toLowerCase(Locale.ROOT)))
        .map(Header::value)
        .toList();
  }

  @Rule("H-16")
  void whatBelongsToOneConnectionMomentOrCallerIsNotReplayed() throws Exception {
    Script script =
        script(
            call -> {
              call.status(200);
              call.addHeader("Set-Cookie", "session=1");
              call.addHeader("Set-Cookie", "other=2");
              call.addHeader("WWW-Authenticate", "Basic");
              call.addHeader("Connection", "X-Hop");
              call.addHeader("X-Hop", "1");
              call.addHeader("X-Request-Id", "1");
              call.addHeader("X-Stays", "1");
              write(call, "ok");
            });
    Request request = payment(script);

    Reply first = send(request);
    Reply retry = resend(request);

    assertReplay(first, retry);
    assertThat(first.all("Set-Cookie")).containsExactly("session=1", "other=2");
    for (String name : List.of("Set-Cookie", "WWW-Authenticate", "X-Hop", "X-Request-Id")) {
      assertThat(retry.all(name)).as(name).isEmpty();
    }
    assertThat(retry.all("X-Stays")).containsExactly("1");
    assertThat(retry.all("Date")).hasSizeLessThanOrEqualTo(1);
    assertThat(retry.all("Content-Length")).containsExactly("2");
  }

  @Rule("H-17")
  void anyBytesAreReplayedAsTheyWere() throws Exception {
    for (int size : new int[] {0, 1, 300, Setup.ANSWER_LIMIT}) {
      byte[] bytes = new byte[size];
      new Random(size).nextBytes(bytes);
      Script script =
          script(
              call -> {
                call.status(200);
                call.addHeader("Content-Type", "application/octet-stream");
                call.out().write(bytes);
              });
      Request request = payment(script);

      Reply first = send(request);

      assertThat(first.body()).isEqualTo(Bytes.copyOf(bytes));
      assertReplay(first, resend(request));
    }
  }

  @Rule("H-18")
  void statusesWithoutABodyAreReplayed() throws Exception {
    Script empty = script(call -> call.status(204));
    Script redirect =
        script(
            call -> {
              call.status(303);
              call.addHeader("Location", "/payments/1");
            });
    for (Script script : List.of(empty, redirect)) {
      Request request = payment(script);
      Reply first = send(request);
      Reply retry = resend(request);

      assertReplay(first, retry);
      assertThat(retry.all("Location")).isEqualTo(first.all("Location"));
      assertThat(script.runs()).isEqualTo(1);
    }
  }

  @Rule("H-19")
  void aConnectionGoesOnAfterAReplayAndAProblem() throws Exception {
    Script script = charging();
    Request request = payment(script);
    try (Wire wire = first()) {
      Reply first = wire.send(request).read();
      assertReplay(first, wire.send(request).read());
      assertThat(wire.send(request.body("other")).read().problem()).isEqualTo("key-reused");
      assertReplay(first, wire.send(request).read());
      assertThat(wire.send(payment(script)).read().text()).isEqualTo("{\"charge\":2}");
    }
  }
}
