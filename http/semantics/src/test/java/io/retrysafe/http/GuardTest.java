// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static io.retrysafe.http.World.JSON;
import static io.retrysafe.http.World.freshKey;
import static io.retrysafe.http.World.member;
import static io.retrysafe.http.World.post;
import static io.retrysafe.http.World.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.http.settings.FingerprintRule;
import io.retrysafe.http.settings.KeyRule;
import io.retrysafe.http.settings.StoreSilent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What callers get, and when the handler runs. */
final class GuardTest {
  private static final Bytes BODY = Bytes.utf8("charged");

  @Test
  void theFirstRequestRunsAndItsRetryIsAnswered() {
    try (World world = World.create()) {
      String key = freshKey();

      Answer first = world.run(post(key), "b").answered(201, List.of(JSON), BODY);
      Answer retry = world.answered(post(key), "b");

      assertThat(first).isEqualTo(new Answer(201, List.of(JSON), BODY, Answer.Source.HANDLER));
      assertThat(retry)
          .isEqualTo(
              new Answer(
                  201,
                  List.of(JSON, new Header("Idempotent-Replayed", "true")),
                  BODY,
                  Answer.Source.REPLAY));
    }
  }

  @Test
  void quotingTheKeyOfARetryChangesNothing() {
    try (World world = World.create()) {
      String key = freshKey();
      world.run(post(key), "b").answered(201, List.of(), BODY);

      assertThat(world.answered(post('"' + key + '"'), "b").source())
          .isEqualTo(Answer.Source.REPLAY);
    }
  }

  @Test
  void anotherRequestUnderTheKeyIsRefusedAlsoWhileTheFirstRuns() {
    try (World world = World.create()) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");

      Answer during = world.answered(post(key), "c");
      exchange.answered(201, List.of(), BODY);
      Answer after = world.answered(post(key), "c");

      assertThat(type(during)).isEqualTo("key-reused");
      assertThat(after).isEqualTo(during);
      assertThat(after.status()).isEqualTo(422);
      assertThat(member(after, "retryable")).isEqualTo("false");
      assertThat(world.answered(post(key), "b").body()).isEqualTo(BODY);
    }
  }

  @Test
  void aDuplicateOfARunningRequestIsToldWhenToComeBack() {
    try (World world = World.create()) {
      String key = freshKey();
      world.run(post(key), "b");

      Answer answer = world.answered(post(key), "b");

      assertThat(answer.status()).isEqualTo(409);
      assertThat(type(answer)).isEqualTo("in-progress");
      assertThat(member(answer, "retryable")).isEqualTo("true");
      assertThat(member(answer, "retry_after")).isEqualTo("1");
      assertThat(answer.headers()).contains(new Header("Retry-After", "1"));
    }
  }

  @Test
  void retryAfterIsHowLongTheRouteUsuallyTakes() {
    try (World world = World.create()) {
      for (int i = 0; i < 20; i++) {
        Exchange exchange = world.run(post(freshKey()), "b");
        world.nanos.addAndGet(Duration.ofMillis(6200).toNanos());
        exchange.answered(201, List.of(), BODY);
      }
      String key = freshKey();
      world.run(post(key), "b");

      assertThat(member(world.answered(post(key), "b"), "retry_after")).isEqualTo("7");
    }
  }

  @Test
  void statusesOfTwoProblemsCanBeChosen() {
    try (World world = World.of(HttpPolicy.create().inProgressStatus(425).keyReusedStatus(400))) {
      String key = freshKey();
      world.run(post(key), "b");

      Answer inProgress = world.answered(post(key), "b");
      Answer reused = world.answered(post(key), "c");

      assertThat(inProgress.status()).isEqualTo(425);
      assertThat(member(inProgress, "status")).isEqualTo("425");
      assertThat(type(inProgress)).isEqualTo("in-progress");
      assertThat(reused.status()).isEqualTo(400);
      assertThat(type(reused)).isEqualTo("key-reused");
    }
  }

  @Test
  void aLapsedRequestIsUnknownAndParked() {
    try (World world = World.create()) {
      String key = freshKey();
      world.run(post(key), "b");
      world.now = world.now.plusSeconds(31);

      Answer answer = world.answered(post(key), "b");

      assertThat(answer.status()).isEqualTo(409);
      assertThat(type(answer)).isEqualTo("outcome-unknown");
      assertThat(member(answer, "retryable")).isEqualTo("false");
      assertThat(answer.headers()).noneMatch(header -> header.is("Retry-After"));
    }
  }

  @Test
  void aLapsedRequestIsRunAgainWhereTheRouteSaysSo() {
    try (World world = World.of(HttpPolicy.create().with("recovery", "rerun"))) {
      String key = freshKey();
      Exchange slow = world.run(post(key), "b");
      world.now = world.now.plusSeconds(31);
      Exchange second = world.run(post(key), "b");

      second.answered(201, List.of(), BODY);
      Answer overtaken = slow.answered(200, List.of(), Bytes.utf8("late"));

      assertThat(overtaken.body()).isEqualTo(BODY);
      assertThat(overtaken.source()).isEqualTo(Answer.Source.REPLAY);
    }
  }

  @Test
  void whoLostItsClaimToARunningOneIsToldThatTheOutcomeIsUnknown() {
    try (World world = World.of(HttpPolicy.create().with("recovery", "rerun"))) {
      String key = freshKey();
      Exchange slow = world.run(post(key), "b");
      world.now = world.now.plusSeconds(31);
      world.run(post(key), "b");

      assertThat(type(slow.answered(200, List.of(), BODY))).isEqualTo("outcome-unknown");
    }
  }

  @Test
  void typesCanHaveAnotherBase() {
    try (World world =
        new World(
            HttpPolicy.create().problemBase("https://example.com/problems#"),
            Map.of("/payments", HttpPolicy.create()))) {
      assertThat(member(world.refused(World.request("POST", null)), "type"))
          .isEqualTo("\"https://example.com/problems#key-missing\"");
    }
  }

  @Test
  void problemsAreProblemDetails() {
    try (World world = World.create()) {
      Answer answer = world.refused(World.request("POST", null));

      assertThat(answer.headers()).contains(new Header("Content-Type", "application/problem+json"));
      assertThat(World.problem(answer).keySet())
          .containsExactlyInAnyOrder("type", "title", "status", "detail", "retryable");
      assertThat(member(answer, "status")).isEqualTo("400");
    }
  }

  @Test
  void aNaturalKeyIsTheSameForTheSameIntent() {
    HttpPolicy policy =
        HttpPolicy.create()
            .key(KeyRule.from("/order/id", "header X-Cart"))
            .fingerprint(FingerprintRule.none());
    try (World world = World.of(policy)) {
      Header cart = new Header("X-Cart", "7");
      RequestHead head = World.request("POST", null, JSON, cart);
      world.run(head, "{\"order\":{\"id\":1},\"t\":1}").answered(201, List.of(), BODY);

      assertThat(world.answered(head, "{\"t\":2,\"order\":{\"id\": 1}}").body()).isEqualTo(BODY);
      assertThat(world.begin(head, "{\"order\":{\"id\":2}}")).isInstanceOf(BeginResult.Run.class);
      assertThat(world.begin(head, "{\"order\":{\"id\":\"1\"}}"))
          .isInstanceOf(BeginResult.Run.class);
      assertThat(
              world.begin(
                  World.request("POST", null, JSON, new Header("X-Cart", "8")),
                  "{\"order\":{\"id\":1}}"))
          .isInstanceOf(BeginResult.Run.class);
      assertThat(
              world
                  .answered(World.request("POST", "mine", JSON, cart), "{\"order\":{\"id\":1}}")
                  .body())
          .as("a key that is sent is not the key there")
          .isEqualTo(BODY);
    }
  }

  @Test
  void aNaturalKeyOfWhichAPartIsMissingIsMissing() {
    try (World world =
        World.of(HttpPolicy.create().key(KeyRule.from("/order/id", "header X-Cart")))) {
      RequestHead head = World.request("POST", null, JSON, new Header("X-Cart", "7"));

      for (String body : List.of("{}", "{\"order\":{\"id\":null}}", "", "[1]")) {
        Answer answer = world.answered(head, body);
        assertThat(type(answer)).as(body).isEqualTo("key-missing");
        assertThat(member(answer, "detail")).contains("/order/id");
      }
      assertThat(type(world.answered(World.request("POST", null, JSON), "{\"order\":{\"id\":1}}")))
          .isEqualTo("key-missing");
      assertThat(type(world.answered(head, "{\"order\""))).isEqualTo("body-invalid");
      Header form = new Header("Content-Type", "application/x-www-form-urlencoded");
      RequestHead plain = World.request("POST", null, form, new Header("X-Cart", "7"));
      assertThat(member(world.answered(plain, "{\"order\":{\"id\":1}}"), "detail"))
          .contains("/order/id, but the body is empty or, by its Content-Type, not JSON");
      assertThat(world.claims).isZero();
    }
  }

  @Test
  void aBodyThatIsNotTheJsonItClaimsToBeIsRefusedBeforeAnyClaim() {
    try (World world = World.of(HttpPolicy.create().fingerprint(FingerprintRule.json()))) {
      Answer answer = world.answered(post(freshKey(), JSON), "{\"a\":1,\"a\":2}");

      assertThat(answer.status()).isEqualTo(400);
      assertThat(type(answer)).isEqualTo("body-invalid");
      assertThat(world.claims).isZero();
    }
  }

  @Test
  void aDuplicateWaitsWhereTheRouteSaysSo() throws Exception {
    try (World world = World.of(HttpPolicy.create().wait(Duration.ofSeconds(30)))) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      Plan.ReadBody plan = world.planned(post(key));
      CompletableFuture<BeginResult> waiting =
          world.guard.beginAsync(plan, RequestBody.of(Bytes.utf8("b")), World.LOOP);
      assertThat(waiting).isNotDone();

      exchange.answered(201, List.of(), BODY);

      BeginResult begun = waiting.get(20, TimeUnit.SECONDS);
      assertThat(begun)
          .isInstanceOfSatisfying(
              BeginResult.Answered.class, a -> assertThat(a.answer().body()).isEqualTo(BODY));
    }
  }

  @Test
  void aWaitThatIsGivenUpLeavesNothingBehind() throws Exception {
    try (World world =
        new World(
            HttpPolicy.create().waiters(1).runningPerAccount(2),
            Map.of("/payments", HttpPolicy.create().wait(Duration.ofSeconds(30))))) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      for (int i = 0; i < 3; i++) {
        CompletableFuture<BeginResult> waiting =
            world.guard.beginAsync(
                world.planned(post(key)), RequestBody.of(Bytes.utf8("b")), World.LOOP);
        assertThat(waiting).isNotDone();
        assertThat(waiting.cancel(false)).isTrue();
      }
      exchange.answered(201, List.of(), BODY);
      assertThat(world.answered(post(key), "b").body()).isEqualTo(BODY);
    }
  }

  @Test
  void anInterruptedWaitIsInProgress() {
    try (World world = World.of(HttpPolicy.create().wait(Duration.ofSeconds(30)))) {
      String key = freshKey();
      world.run(post(key), "b");
      Thread.currentThread().interrupt();

      Answer answer = world.answered(post(key), "b");

      assertThat(Thread.interrupted()).isTrue();
      assertThat(type(answer)).isEqualTo("in-progress");
    }
  }

  @Test
  void tooManyWaitersAreTurnedAway() {
    try (World world =
        new World(
            HttpPolicy.create().waiters(1),
            Map.of("/payments", HttpPolicy.create().wait(Duration.ofSeconds(30))))) {
      String key = freshKey();
      world.run(post(key), "b");
      CompletableFuture<BeginResult> one =
          world.guard.beginAsync(
              world.planned(post(key)), RequestBody.of(Bytes.utf8("b")), World.LOOP);

      Answer two = world.answered(post(key), "b");

      assertThat(one).isNotDone();
      assertThat(two.status()).isEqualTo(429);
      assertThat(type(two)).isEqualTo("too-many-operations");
      assertThat(two.headers()).contains(new Header("Retry-After", "1"));
      one.cancel(false);
    }
  }

  @Test
  void anAccountWithTooManyRunningOperationsIsTurnedAwayBeforeAnyClaim() {
    try (World world =
        new World(
            HttpPolicy.create().runningPerAccount(2), Map.of("/payments", HttpPolicy.create()))) {
      Exchange one = world.run(post(freshKey()), "b");
      world.run(post(freshKey()), "b");
      int claims = world.claims;

      Answer third = world.answered(post(freshKey()), "b");
      RequestHead other =
          RequestHead.of(
              "POST", "/payments", null, List.of(new Header("Idempotency-Key", "k")), "other");

      assertThat(third.status()).isEqualTo(429);
      assertThat(type(third)).isEqualTo("too-many-operations");
      assertThat(member(third, "retryable")).isEqualTo("true");
      assertThat(world.claims).isEqualTo(claims);
      assertThat(world.begin(other, "b")).isInstanceOf(BeginResult.Run.class);

      one.answered(201, List.of(), BODY);
      assertThat(world.begin(post(freshKey()), "b")).isInstanceOf(BeginResult.Run.class);
    }
  }

  @Test
  void rejectedRequestsGiveTheirPlaceBack() {
    try (World world =
        new World(
            HttpPolicy.create().runningPerAccount(2), Map.of("/payments", HttpPolicy.create()))) {
      String key = freshKey();
      world.run(post(key), "b");
      for (int i = 0; i < 5; i++) {
        assertThat(type(world.answered(post(key), "b"))).isEqualTo("in-progress");
        assertThat(type(world.answered(post(key), "c"))).isEqualTo("key-reused");
      }
    }
  }

  @Test
  void whileTheStoreIsSilentNothingRuns() {
    try (World world = World.create()) {
      world.isSilent = true;

      Answer answer = world.answered(post(freshKey()), "b");

      assertThat(answer.status()).isEqualTo(503);
      assertThat(type(answer)).isEqualTo("store-unavailable");
      assertThat(member(answer, "work_ran")).isEqualTo("false");
      assertThat(member(answer, "retryable")).isEqualTo("true");
      assertThat(answer.headers()).contains(new Header("Retry-After", "1"));
    }
  }

  @Test
  void anAnswerThatCannotBeRecordedDoesNotLeave() {
    try (World world = World.create()) {
      String key = freshKey();
      Exchange exchange = world.run(post(key), "b");
      world.isSilent = true;

      Answer answer = exchange.answered(201, List.of(), BODY);

      assertThat(answer.status()).isEqualTo(503);
      assertThat(type(answer)).isEqualTo("store-unavailable");
      assertThat(member(answer, "work_ran")).isEqualTo("true");
      world.isSilent = false;
      Answer retry = world.answered(post(key), "b");
      for (int i = 0; i < 2000 && retry.source() != Answer.Source.REPLAY; i++) {
        LockSupport.parkNanos(5_000_000);
        retry = world.answered(post(key), "b");
      }
      assertThat(retry.body()).as("recording went on in the background").isEqualTo(BODY);
    }
  }

  @Test
  void aRouteMaySayThatItGoesOnUnprotected() {
    try (World world = World.of(HttpPolicy.create().storeSilent(StoreSilent.OPEN))) {
      Exchange recorded = world.run(post(freshKey()), "b");
      world.isSilent = true;
      Exchange exchange = world.run(post(freshKey()), "b");

      assertThat(exchange.operation()).isEmpty();
      assertThat(exchange.answered(201, List.of(), BODY).body()).isEqualTo(BODY);
      assertThat(recorded.answered(201, List.of(), BODY).body()).isEqualTo(BODY);
    }
  }

  @Test
  void anExchangeIsEndedOnce() {
    try (World world = World.create()) {
      Exchange exchange = world.run(post(freshKey()), "b");
      exchange.answered(201, List.of(), BODY);

      assertThatThrownBy(() -> exchange.failed(new RuntimeException()))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
