// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static io.retrysafe.http.World.freshKey;
import static io.retrysafe.http.World.member;
import static io.retrysafe.http.World.post;
import static io.retrysafe.http.World.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.http.body.RequestBody;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Who may see a recorded answer is asked again before every replay. */
final class ReplayCheckTest {
  private static final RequestBody BODY = RequestBody.of(Bytes.utf8("b"));
  private static final ReplayCheck NOBODY_ASKED =
      replay -> {
        throw new AssertionError("was asked about " + replay);
      };

  private static CompletionStage<Optional<Answer>> refused(Replay replay) {
    return CompletableFuture.completedFuture(Optional.of(replay.refused(403)));
  }

  private static Answer answer(BeginResult begun) {
    return ((BeginResult.Answered) begun).answer();
  }

  private static String done(World world, int size) {
    String key = freshKey();
    world.run(post(key), "b").answered(201, List.of(), Bytes.wrap(new byte[size]));
    return key;
  }

  @Test
  void anAllowedReplayIsSentAsItIs() {
    try (World world = World.create()) {
      RequestHead head = post(done(world, 3));
      List<Replay> asked = new ArrayList<>();

      BeginResult begun =
          world.guard.begin(
              world
                  .planned(head)
                  .check(
                      replay -> {
                        asked.add(replay);
                        return CompletableFuture.completedFuture(Optional.empty());
                      }),
              BODY);

      assertThat(answer(begun).source()).isEqualTo(Answer.Source.REPLAY);
      assertThat(asked).singleElement().extracting(Replay::request).isEqualTo(head);
      assertThat(asked.get(0).answer()).isEqualTo(answer(begun));
      assertThat(asked.get(0).route().name()).isEqualTo("/payments");
    }
  }

  @Test
  void aRefusedReplayGivesNothingAway() {
    try (World world = World.create()) {
      RequestHead head = post(done(world, 3));

      Answer answer =
          answer(world.guard.begin(world.planned(head).check(ReplayCheckTest::refused), BODY));

      assertThat(answer.status()).isEqualTo(403);
      assertThat(type(answer)).isEqualTo("replay-refused");
      assertThat(member(answer, "retryable")).isEqualTo("false");
      assertThat(world.answered(head, "b").source()).as("later").isEqualTo(Answer.Source.REPLAY);
    }
  }

  @Test
  void theChecksOwnAnswerIsPassedOn() {
    try (World world = World.create()) {
      RequestHead head = post(done(world, 3));
      Answer own =
          new Answer(
              401,
              List.of(new Header("WWW-Authenticate", "Bearer")),
              Bytes.utf8("who are you"),
              Answer.Source.PROBLEM);

      BeginResult begun =
          world
              .guard
              .beginAsync(
                  world
                      .planned(head)
                      .check(replay -> CompletableFuture.supplyAsync(() -> Optional.of(own))),
                  BODY,
                  World.LOOP)
              .join();

      assertThat(answer(begun)).isEqualTo(own);
    }
  }

  @Test
  void anAnswerThatWasNotKeptIsAskedAboutToo() {
    try (World world = World.of(HttpPolicy.create().answerLimit(2))) {
      RequestHead head = post(done(world, 3));

      assertThat(type(world.answered(head, "b"))).isEqualTo("answer-not-kept");
      assertThat(
              answer(world.guard.begin(world.planned(head).check(ReplayCheckTest::refused), BODY))
                  .status())
          .isEqualTo(403);
    }
  }

  @Test
  void nobodyIsAskedAboutFirstRequestsAndProblems() {
    try (World world = World.create()) {
      String key = freshKey();
      BeginResult first = world.guard.begin(world.planned(post(key)).check(NOBODY_ASKED), BODY);
      BeginResult second =
          world
              .guard
              .beginAsync(world.planned(post(key)).check(NOBODY_ASKED), BODY, World.LOOP)
              .join();

      assertThat(first).isInstanceOf(BeginResult.Run.class);
      assertThat(type(answer(second))).isEqualTo("in-progress");
    }
  }

  @Test
  void aCheckThatFailsReplaysNothing() {
    try (World world = World.create()) {
      RequestHead head = post(done(world, 3));
      ReplayCheck failing =
          replay -> CompletableFuture.failedFuture(new IllegalStateException("no route to host"));

      for (BeginResult begun :
          List.of(
              world.guard.begin(world.planned(head).check(failing), BODY),
              world
                  .guard
                  .beginAsync(world.planned(head).check(failing), BODY, World.LOOP)
                  .join())) {
        assertThat(answer(begun).status()).isEqualTo(503);
        assertThat(type(answer(begun))).isEqualTo("authorizer-unavailable");
        assertThat(member(answer(begun), "retry_after")).isEqualTo("1");
      }
    }
  }

  @Test
  void whatACheckThrowsReachesWhoeverBegan() {
    try (World world = World.create()) {
      RequestHead head = post(done(world, 3));

      assertThatThrownBy(() -> world.guard.begin(world.planned(head).check(NOBODY_ASKED), BODY))
          .isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void aWaitingDuplicateIsAskedWhenTheAnswerIsThereAndCanBeGivenUp() {
    try (World world = World.of(HttpPolicy.create().wait(Duration.ofSeconds(20)))) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      CompletableFuture<BeginResult> waiting =
          world.guard.beginAsync(
              world.planned(post(key)).check(ReplayCheckTest::refused), BODY, World.LOOP);
      CompletableFuture<BeginResult> givenUp =
          world.guard.beginAsync(
              world.planned(post(key)).check(ReplayCheckTest::refused), BODY, World.LOOP);

      assertThat(givenUp.cancel(false)).isTrue();
      exchange.answered(201, List.of(), Bytes.EMPTY);

      assertThat(answer(waiting.join()).status()).isEqualTo(403);
    }
  }

  @Test
  void aRefusalHasAStatusOfItsKind() {
    try (World world = World.create()) {
      RequestHead head = post(done(world, 3));

      assertThatThrownBy(
              () ->
                  world.guard.begin(
                      world
                          .planned(head)
                          .check(
                              replay ->
                                  CompletableFuture.completedFuture(
                                      Optional.of(replay.refused(200)))),
                      BODY))
          .hasMessageContaining("was 200");
    }
  }
}
