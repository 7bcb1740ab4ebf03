// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.Recovery;
import io.retrysafe.http.body.RequestBody;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers that are replayed only to what their first caller proved itself with. */
class CredentialTest {
  private final String key = World.freshKey();

  private static BeginResult begin(World world, String key, String credential) {
    Plan.ReadBody plan = world.planned(World.post(key)).credential(credential);
    return world.guard.begin(plan, RequestBody.of(Bytes.utf8("b")));
  }

  private static Exchange run(World world, String key, String credential) {
    if (begin(world, key, credential) instanceof BeginResult.Run run) {
      return run.exchange();
    }
    throw new AssertionError("was answered");
  }

  private static Answer answered(World world, String key, String credential) {
    if (begin(world, key, credential) instanceof BeginResult.Answered answered) {
      return answered.answer();
    }
    throw new AssertionError("was run");
  }

  private static void assertRefused(Answer answer) {
    assertThat(answer.status()).isEqualTo(403);
    assertThat(World.type(answer)).isEqualTo("replay-refused");
    assertThat(answer.source()).isEqualTo(Answer.Source.PROBLEM);
  }

  @Test
  void onlyTheSameOneGetsTheAnswerAgain() {
    try (World world = World.create()) {
      run(world, key, "right").answered(201, List.of(World.JSON), Bytes.utf8("private"));

      assertRefused(answered(world, key, "wrong"));
      Answer replay = answered(world, key, "right");
      assertThat(replay.status()).isEqualTo(201);
      assertThat(replay.headers())
          .containsExactly(World.JSON, new Header("Idempotent-Replayed", "true"));
    }
  }

  @Test
  void alsoOfAFailureAndOfAnAnswerThatIsNotKept() {
    try (World world = World.create()) {
      run(world, key, "right").failed(new IllegalStateException("broken"));
      assertRefused(answered(world, key, "wrong"));
      assertThat(answered(world, key, "right").status()).isEqualTo(500);

      String other = World.freshKey();
      run(world, other, "right").notKept(200, List.of());
      assertRefused(answered(world, other, "wrong"));
      assertThat(World.type(answered(world, other, "right"))).isEqualTo("answer-not-kept");
    }
  }

  @Test
  void anAnswerWithoutOneIsRefused() {
    try (World world = World.create()) {
      world
          .run(World.post(key), "b")
          .answered(201, List.of(new Header(":credential", "right")), Bytes.utf8("private"));

      assertRefused(answered(world, key, "right"));
      assertThat(world.answered(World.post(key), "b").headers())
          .containsExactly(new Header("Idempotent-Replayed", "true"));
    }
  }

  @Test
  void anOwnerThatWasTakenOverDoesNotLearnTheOthersAnswer() {
    HttpPolicy rerun = HttpPolicy.create().recovery(Recovery.rerun()).lease(Duration.ofMinutes(5));
    try (World world = World.of(rerun)) {
      Exchange slow = run(world, key, "wrong");
      world.now = world.now.plus(Duration.ofMinutes(6));
      run(world, key, "right").answered(201, List.of(), Bytes.utf8("private"));

      assertRefused(slow.answered(200, List.of(), Bytes.utf8("own")));
    }
  }

  @Test
  void itIsInNoText() {
    try (World world = World.create()) {
      Plan.ReadBody plan = world.planned(World.post(key)).credential("secret-digest");

      assertThat(String.valueOf(plan.credential())).doesNotContain("secret-digest");
      Outcome outcome = new Credential("secret-digest").on(Outcome.of(Bytes.EMPTY));
      assertThat(outcome.withoutAnswer().attributes()).hasSize(1);
    }
  }
}
