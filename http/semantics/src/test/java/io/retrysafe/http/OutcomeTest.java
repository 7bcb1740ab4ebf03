// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static io.retrysafe.http.World.freshKey;
import static io.retrysafe.http.World.member;
import static io.retrysafe.http.World.post;
import static io.retrysafe.http.World.type;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.http.settings.OnFailure;
import io.retrysafe.http.settings.Statuses;
import java.net.SocketTimeoutException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an answer means for its retries. */
final class OutcomeTest {

  private static String kind(BeginResult retry) {
    if (retry instanceof BeginResult.Answered answered) {
      boolean isReplay = answered.answer().source() == Answer.Source.REPLAY;
      return isReplay ? "replayed" : type(answered.answer());
    }
    return "runs";
  }

  @ParameterizedTest
  @CsvSource({
    "keep, 200, replayed",
    "keep, 201, replayed",
    "keep, 204, replayed",
    "keep, 302, replayed",
    "keep, 404, replayed",
    "keep, 409, replayed",
    "keep, 410, replayed",
    "keep, 412, replayed",
    "keep, 400, runs",
    "keep, 401, runs",
    "keep, 403, runs",
    "keep, 413, runs",
    "keep, 415, runs",
    "keep, 422, runs",
    "keep, 425, runs",
    "keep, 429, runs",
    "keep, 500, replayed",
    "keep, 502, replayed",
    "keep, 503, replayed",
    "keep, 504, replayed",
    "release, 201, replayed",
    "release, 404, replayed",
    "release, 400, runs",
    "release, 500, runs",
    "release, 503, runs",
    "success-only, 200, replayed",
    "success-only, 303, replayed",
    "success-only, 404, runs",
    "success-only, 409, runs",
    "success-only, 500, runs",
    "resume, 201, replayed",
    "resume, 404, replayed",
    "resume, 500, runs",
    "unknown, 201, replayed",
    "unknown, 404, replayed",
    "unknown, 422, runs",
    "unknown, 500, outcome-unknown",
    "unknown, 503, outcome-unknown"
  })
  void theStatusSaysWhetherARetryRuns(String failures, int status, String retry) {
    try (World world = World.of(HttpPolicy.create().with("failures", failures))) {
      assertThat(kind(world.afterStatus(status))).isEqualTo(retry);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "keep, 500, outcome-unknown",
    "release, 503, outcome-unknown",
    "success-only, 500, outcome-unknown",
    "resume, 500, outcome-unknown",
    "keep, 422, runs",
    "keep, 404, replayed"
  })
  void afterATimeOutAFailureIsUnknownWhoeverAnswersIt(String failures, int status, String retry) {
    try (World world = World.of(HttpPolicy.create().with("failures", failures))) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      exchange.threw(new RuntimeException(new SocketTimeoutException()));

      Answer first = exchange.answered(status, List.of(), Bytes.utf8("the framework's"));

      assertThat(first.status()).isEqualTo(status);
      assertThat(first.body()).isEqualTo(Bytes.utf8("the framework's"));
      assertThat(kind(world.begin(post(key), "b"))).isEqualTo(retry);
    }
  }

  @Test
  void aTimeOutOfTheHandlerIsUnknownAndNotRetryable() {
    try (World world = World.of(HttpPolicy.create().failures(OnFailure.RELEASE))) {
      String key = freshKey();

      Answer first = world.run(post(key), "b").failed(new SocketTimeoutException());

      assertThat(first.status()).isEqualTo(500);
      assertThat(member(first, "retryable")).isEqualTo("false");
      assertThat(kind(world.begin(post(key), "b"))).isEqualTo("outcome-unknown");
      String cut = freshKey();
      Exchange broken = world.run(post(cut), "b");
      broken.threw(new SocketTimeoutException());
      broken.brokenOff(200, false);
      assertThat(kind(world.begin(post(cut), "b"))).isEqualTo("outcome-unknown");
    }
  }

  @Test
  void aPolicySaysWhichExceptionsAreUnknown() {
    try (World world = World.of(HttpPolicy.create().unknownOn(thrown -> false))) {
      String key = freshKey();
      world.run(post(key), "b").failed(new SocketTimeoutException());

      assertThat(kind(world.begin(post(key), "b"))).isEqualTo("replayed");
    }
  }

  @Test
  void busyWithRetryAfterIsRefusedAndBusyWithoutIsFailed() {
    try (World world = World.create()) {
      assertThat(kind(world.afterStatus(503, new Header("Retry-After", "3")))).isEqualTo("runs");
      assertThat(kind(world.afterStatus(500, new Header("Retry-After", "3"))))
          .isEqualTo("replayed");
    }
  }

  @Test
  void aRouteSaysItself() {
    HttpPolicy policy =
        HttpPolicy.create().refused(Statuses.of(404, 409)).unknown(Statuses.of(502, 504));
    try (World world = World.of(policy)) {
      assertThat(kind(world.afterStatus(404))).isEqualTo("runs");
      assertThat(kind(world.afterStatus(409))).isEqualTo("runs");
      assertThat(kind(world.afterStatus(400))).isEqualTo("replayed");
      assertThat(kind(world.afterStatus(503, new Header("Retry-After", "3"))))
          .isEqualTo("replayed");
      assertThat(kind(world.afterStatus(502))).isEqualTo("outcome-unknown");
      assertThat(kind(world.afterStatus(504))).isEqualTo("outcome-unknown");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "final, 500, replayed",
    "final, 422, replayed",
    "refused, 201, runs",
    "refused, 500, runs",
    "failed, 200, replayed",
    "unknown, 200, outcome-unknown",
    "FINAL, 422, replayed",
    "' Refused ', 201, runs",
    "nonsense, 201, replayed",
    "nonsense, 422, runs"
  })
  void theHandlerSaysItInAHeaderThatIsNotSent(String word, int status, String retry) {
    try (World world = World.create()) {
      String key = freshKey();
      Answer sent =
          world
              .run(post(key), "b")
              .answered(
                  status,
                  List.of(new Header("retrysafe-outcome", word), new Header("X", "1")),
                  Bytes.EMPTY);

      assertThat(sent.headers()).containsExactly(new Header("X", "1"));
      assertThat(kind(world.begin(post(key), "b"))).isEqualTo(retry);
    }
  }

  @ParameterizedTest
  @CsvSource({"FINAL, 422, replayed", "REFUSED, 201, runs", "UNKNOWN, 200, outcome-unknown"})
  void theHandlerSaysItThroughTheExchange(OutcomeKind kind, int status, String retry) {
    try (World world = World.create()) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      exchange.outcome(kind);
      exchange.answered(status, List.of(), Bytes.EMPTY);

      assertThat(kind(world.begin(post(key), "b"))).isEqualTo(retry);
    }
  }

  @Test
  void aRefusedKeyIsFreeForACorrectedBody() {
    try (World world = World.create()) {
      String key = freshKey();
      world.run(post(key), "wrong").answered(422, List.of(), Bytes.EMPTY);

      assertThat(world.begin(post(key), "right")).isInstanceOf(BeginResult.Run.class);
    }
  }

  @Test
  void aKeptFailureIsReplayedWithItsBytes() {
    try (World world = World.create()) {
      String key = freshKey();
      world.run(post(key), "b").answered(500, List.of(), Bytes.utf8("broken"));

      Answer retry = world.answered(post(key), "b");

      assertThat(retry.status()).isEqualTo(500);
      assertThat(retry.body()).isEqualTo(Bytes.utf8("broken"));
      assertThat(world.store.find(key(world, key)))
          .get()
          .extracting(entry -> entry.outcome().orElseThrow().kind())
          .isEqualTo(Outcome.Kind.FAILED);
    }
  }

  private static OperationKey key(World world, String key) {
    return new OperationKey(world.planned(post(key)).scope(), key);
  }

  @ParameterizedTest
  @CsvSource({
    "keep, replayed, false",
    "release, runs, true",
    "success-only, runs, true",
    "resume, runs, true"
  })
  void aHandlerThatThrowsHasFailed(String failures, String retry, boolean isRetryable) {
    try (World world = World.of(HttpPolicy.create().with("failures", failures))) {
      String key = freshKey();
      Answer answer =
          world.run(post(key), "b").failed(new IllegalStateException("card 4111 is broken"));

      assertThat(answer.status()).isEqualTo(500);
      assertThat(type(answer)).isEqualTo("operation-failed");
      assertThat(member(answer, "retryable")).isEqualTo(String.valueOf(isRetryable));
      assertThat(answer.body().toUtf8()).doesNotContain("4111");
      BeginResult again = world.begin(post(key), "b");
      assertThat(kind(again)).isEqualTo(retry);
      if (again instanceof BeginResult.Answered replay) {
        assertThat(replay.answer().body()).isEqualTo(answer.body());
        assertThat(replay.answer().status()).isEqualTo(500);
      }
    }
  }

  @Test
  void anAdapterSaysRefusedOrUnknownWithAProblem() {
    try (World world = World.create()) {
      String free = freshKey();
      String gone = freshKey();

      Answer unreachable =
          world.run(post(free), "b").refused(ProblemType.UPSTREAM_UNREACHABLE, "No route.");
      Answer silent = world.run(post(gone), "b").unknown(ProblemType.UPSTREAM_SILENT, "Cut.");

      assertThat(unreachable.status()).isEqualTo(502);
      assertThat(type(unreachable)).isEqualTo("upstream-unreachable");
      assertThat(kind(world.begin(post(free), "b"))).isEqualTo("runs");
      assertThat(silent.status()).isEqualTo(504);
      assertThat(kind(world.begin(post(gone), "b"))).isEqualTo("outcome-unknown");
    }
  }

  @Test
  void aLateAnswerSettlesWhatWasLeftUnknown() {
    try (World world = World.create()) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      exchange.unknown(ProblemType.UPSTREAM_SILENT, "Cut.");

      exchange.answered(201, List.of(), Bytes.utf8("late"));

      assertThat(world.answered(post(key), "b").body()).isEqualTo(Bytes.utf8("late"));
    }
  }

  @Test
  void aLateRefusalSettlesNothing() {
    try (World world = World.create()) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      exchange.unknown(ProblemType.UPSTREAM_SILENT, "Cut.");

      exchange.answered(422, List.of(), Bytes.utf8("late"));

      assertThat(kind(world.begin(post(key), "b"))).isEqualTo("outcome-unknown");
    }
  }

  @Test
  void anAnswerThatWasStreamedIsNotKept() {
    try (World world = World.create()) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      assertThat(exchange.mayBeKept(List.of(new Header("Content-Type", "text/event-stream;x=y"))))
          .isFalse();
      assertThat(exchange.mayBeKept(List.of(World.JSON))).isTrue();
      assertThat(type(world.answered(post(key), "b"))).isEqualTo("in-progress");

      exchange.notKept(206, List.of());
      Answer retry = world.answered(post(key), "b");

      assertThat(retry.status()).isEqualTo(409);
      assertThat(type(retry)).isEqualTo("answer-not-kept");
      assertThat(member(retry, "original_status")).isEqualTo("206");
      assertThat(member(retry, "retryable")).isEqualTo("false");
    }
  }

  @ParameterizedTest
  @CsvSource({"200, answer-not-kept", "500, answer-not-kept", "422, runs", "502, outcome-unknown"})
  void aStreamedAnswerMeansWhatItsStatusSays(int status, String retry) {
    try (World world = World.of(HttpPolicy.create().unknown(Statuses.of(502)))) {
      String key = freshKey();
      world.run(post(key), "b").notKept(status, List.of());

      assertThat(kind(world.begin(post(key), "b"))).isEqualTo(retry);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 11})
  void anAnswerOverTheLimitReachesItsCallerWholeAndIsNotKept(int size) {
    try (World world = World.of(HttpPolicy.create().answerLimit(10))) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      assertThat(exchange.answerLimit()).isEqualTo(10);

      Answer first = exchange.answered(200, List.of(), Bytes.wrap(new byte[size]));

      assertThat(first.body().size()).isEqualTo(size);
      assertThat(kind(world.begin(post(key), "b")))
          .isEqualTo(size > 10 ? "answer-not-kept" : "replayed");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "keep, false, answer-not-kept",
    "release, false, runs",
    "keep, true, outcome-unknown",
    "release, true, outcome-unknown"
  })
  void aHandlerThatThrowsWhileItsAnswerLeavesHasFailedUnlessItsCallerWentAway(
      String failures, boolean isClientGone, String retry) {
    try (World world = World.of(HttpPolicy.create().with("failures", failures))) {
      String key = freshKey();
      world.run(post(key), "b").brokenOff(200, isClientGone);

      assertThat(kind(world.begin(post(key), "b"))).isEqualTo(retry);
    }
  }
}
