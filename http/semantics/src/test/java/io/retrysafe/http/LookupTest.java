// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.http.body.RequestBody;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a service's word about an unknown operation means, and what observing sees. */
class LookupTest {
  private static final Duration AFTER = Duration.ofSeconds(30);

  private final World world = World.create();
  private final String key = World.freshKey();
  private final List<String> asked = new ArrayList<>();
  private int status = 404;

  private HttpLookup.Found found(String key) {
    asked.add(key);
    List<Header> headers =
        List.of(new Header("Location", "/payments/1"), new Header("Set-Cookie", "a=1"));
    return new HttpLookup.Found(status, headers, Bytes.utf8("looked up"));
  }

  private BeginResult begin() {
    return begin(operation -> CompletableFuture.completedFuture(found(operation.key().value())))
        .join();
  }

  private CompletableFuture<BeginResult> begin(HttpLookup.Service service) {
    HttpLookup lookup = new HttpLookup(AFTER, service);
    return world.guard.beginAsync(
        world.planned(World.post(key)).lookup(lookup), RequestBody.EMPTY, World.LOOP);
  }

  private void leftUnknown() {
    ((BeginResult.Run) begin()).exchange().unknown(ProblemType.UPSTREAM_SILENT, "Cut off.");
    world.now = world.now.plus(AFTER);
  }

  private static Answer answer(BeginResult begun) {
    return ((BeginResult.Answered) begun).answer();
  }

  @Test
  void notFoundMeansThatItRuns() {
    leftUnknown();

    assertThat(begin()).isInstanceOf(BeginResult.Run.class);
    assertThat(asked).containsExactly(key);
  }

  @Test
  void nobodyWaitsInAThreadForTheService() {
    leftUnknown();
    CompletableFuture<HttpLookup.Found> found = new CompletableFuture<>();

    CompletableFuture<BeginResult> begun = begin(operation -> found);

    assertThat(begun).isNotDone();
    status = 200;
    found.complete(found(key));
    assertThat(answer(begun.join()).body()).isEqualTo(Bytes.utf8("looked up"));
  }

  @Test
  void aServiceThatDoesNotAnswerLeavesItParked() {
    leftUnknown();

    BeginResult begun =
        begin(operation -> CompletableFuture.failedFuture(new java.io.IOException("cut"))).join();

    assertThat(answer(begun).problem()).contains(ProblemType.OUTCOME_UNKNOWN);
  }

  @Test
  void aSuccessIsTheAnswerWithoutWhatIsNeverReplayed() {
    leftUnknown();
    status = 200;

    Answer answer = answer(begin());

    assertThat(answer.source()).isEqualTo(Answer.Source.REPLAY);
    assertThat(answer.body()).isEqualTo(Bytes.utf8("looked up"));
    assertThat(answer.headers()).contains(new Header("Location", "/payments/1"));
    assertThat(answer.headers()).noneMatch(header -> header.is("Set-Cookie"));
  }

  @Test
  void anythingElseLeavesItParked() {
    for (int other : new int[] {301, 401, 410, 500, 503}) {
      leftUnknownOrStill();
      status = other;
      assertThat(answer(begin()).problem()).contains(ProblemType.OUTCOME_UNKNOWN);
    }
    assertThat(asked).hasSize(5);
  }

  private void leftUnknownOrStill() {
    if (asked.isEmpty()) {
      leftUnknown();
    } else {
      world.now = world.now.plus(AFTER);
    }
  }

  @Test
  void nobodyIsAskedBeforeItIsTime() {
    leftUnknown();
    world.now = world.now.minusSeconds(1);

    assertThat(answer(begin()).problem()).contains(ProblemType.OUTCOME_UNKNOWN);
    assertThat(asked).isEmpty();
  }

  @Test
  void observingSaysWhatWouldHaveBeenDoneAndStandsInNobodysWay() {
    Plan.ReadBody plan = world.planned(World.post(key));

    BeginResult first = world.guard.observe(plan, RequestBody.EMPTY, World.LOOP).join();
    BeginResult second = world.guard.observe(plan, RequestBody.EMPTY, World.LOOP).join();
    ((BeginResult.Run) first).exchange().notKept(201, List.of());
    BeginResult third = world.guard.observe(plan, RequestBody.EMPTY, World.LOOP).join();

    assertThat(answer(second).problem()).contains(ProblemType.IN_PROGRESS);
    assertThat(answer(third).source()).isEqualTo(Answer.Source.NOT_KEPT);
    assertThat(world.guard.beginAsync(plan, RequestBody.EMPTY, World.LOOP).join())
        .as("what was only observed does not count")
        .isInstanceOf(BeginResult.Run.class);
  }
}
