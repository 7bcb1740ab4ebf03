// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static io.retrysafe.http.World.freshKey;
import static io.retrysafe.http.World.post;
import static io.retrysafe.http.World.request;
import static io.retrysafe.http.World.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Scope;
import io.retrysafe.http.body.BodySpool;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.ExpiredKeys;
import io.retrysafe.http.settings.KeyFormat;
import io.retrysafe.http.settings.KeyRule;
import io.retrysafe.http.settings.Unmatched;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PlanTest {

  private static String outcome(HttpPolicy policy, RequestHead head) {
    try (World world = World.of(policy)) {
      Plan plan = world.guard.plan(head);
      return plan instanceof Plan.Refused refused
          ? type(refused.answer())
          : plan instanceof Plan.ReadBody ? "guarded" : "passes";
    }
  }

  @ParameterizedTest
  @CsvSource({
    "default, POST, key-missing, guarded",
    "default, PATCH, key-missing, guarded",
    "default, PUT, passes, guarded",
    "default, DELETE, passes, guarded",
    "default, GET, passes, passes",
    "default, HEAD, passes, passes",
    "default, OPTIONS, passes, passes",
    "default, TRACE, passes, passes",
    "default, PROPFIND, passes, passes",
    "required, POST, key-missing, guarded",
    "required, PUT, key-missing, guarded",
    "required, DELETE, key-missing, guarded",
    "required, GET, passes, passes",
    "required, HEAD, passes, passes",
    "optional, POST, passes, guarded",
    "optional, PATCH, passes, guarded",
    "optional, GET, passes, passes",
    "none, POST, passes, passes",
    "none, DELETE, passes, passes"
  })
  void theRouteAndTheMethodSayWhoNeedsAKey(
      String rule, String method, String without, String with) {
    HttpPolicy policy = HttpPolicy.create();
    HttpPolicy set = rule.equals("default") ? policy : policy.with("key", rule);

    assertThat(outcome(set, request(method, null))).isEqualTo(without);
    assertThat(outcome(set, request(method, freshKey()))).isEqualTo(with);
  }

  @Test
  void onlyRoutesAreGuardedUnlessAllAre() {
    RequestHead other = RequestHead.of("POST", "/other", null, List.of(), "a");
    try (World world = World.create();
        World all = new World(HttpPolicy.create().unmatched(Unmatched.GUARD), Map.of())) {
      assertThat(world.guard.plan(other)).isInstanceOf(Plan.PassThrough.class);
      assertThat(type(all.refused(other))).isEqualTo("key-missing");
    }
  }

  @Test
  void anotherSpellingOfThePathIsNoWayAroundTheRoute() {
    try (World world = World.create()) {
      assertThat(
              world.guard.plan(
                  RequestHead.of("POST", "/x/../pay%6Dents;v=1", null, List.of(), "a")))
          .isInstanceOf(Plan.Refused.class);
    }
  }

  @Test
  void theFirstRouteThatMatchesCounts() {
    Map<String, HttpPolicy> routes = new java.util.LinkedHashMap<>();
    routes.put("POST /payments", HttpPolicy.create().key(KeyRule.none()));
    routes.put("/**", HttpPolicy.create());
    try (World world = new World(HttpPolicy.create(), routes)) {
      assertThat(world.guard.plan(request("POST", null))).isInstanceOf(Plan.PassThrough.class);
      assertThat(world.guard.plan(request("PATCH", null))).isInstanceOf(Plan.Refused.class);
      assertThat(world.guard.routes())
          .extracting(Route::name)
          .containsExactly("POST /payments", "/**");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\"\"", "\"open", "a\u0001b", "caf\u00e9"})
  void aBadKeyIsInvalid(String key) {
    assertThat(outcome(HttpPolicy.create(), post(key))).isEqualTo("key-invalid");
  }

  @Test
  void aKeyInTwoLinesIsInvalidEvenIfBothAreEqual() {
    assertThat(outcome(HttpPolicy.create(), post("a", new Header("idempotency-key", "a"))))
        .isEqualTo("key-invalid");
  }

  @Test
  void aBadKeyIsInvalidAlsoWhereKeysAreOptional() {
    assertThat(outcome(HttpPolicy.create(), request("PUT", ""))).isEqualTo("key-invalid");
  }

  @Test
  void theHeaderOfTheKeyCanHaveAnotherName() {
    HttpPolicy policy = HttpPolicy.create().keyHeader("PayPal-Request-Id");

    assertThat(outcome(policy, post(freshKey()))).isEqualTo("key-missing");
    assertThat(outcome(policy, request("POST", null, new Header("paypal-request-id", "1"))))
        .isEqualTo("guarded");
  }

  @ParameterizedTest
  @CsvSource({
    "uuid, 8e03978e-40d5-43e8-bc93-6894a57f9324, guarded",
    "uuid, '\"8e03978e-40d5-43e8-bc93-6894a57f9324\"', guarded",
    "uuid, order-1, key-invalid",
    "ulid, 01ARYZ6S41TSV4RRFFQ69G5FAV, guarded",
    "ulid, 8e03978e-40d5-43e8-bc93-6894a57f9324, key-invalid",
    "any, order-1, guarded"
  })
  void aRouteMayAskForAFormat(String format, String key, String outcome) {
    assertThat(outcome(HttpPolicy.create().with("key-format", format), post(key)))
        .isEqualTo(outcome);
  }

  @Test
  void aRouteMayAskForAPattern() {
    HttpPolicy policy = HttpPolicy.create().keyFormat(KeyFormat.pattern("order-[0-9]+"));

    assertThat(outcome(policy, post("order-1"))).isEqualTo("guarded");
    assertThat(outcome(policy, post("order-x"))).isEqualTo("key-invalid");
  }

  /** 019a871f-... was made one day before the world's now, to the millisecond. */
  @Test
  void aTimedKeyOlderThanTheRetentionIsExpired() {
    try (World world = World.of(HttpPolicy.create().expiredKeys(ExpiredKeys.REFUSE))) {
      long day = Duration.ofHours(24).toMillis();
      String asOld = uuid7(world.now.toEpochMilli() - day);
      String older = uuid7(world.now.toEpochMilli() - day - 1);

      assertThat(world.guard.plan(post(asOld))).isInstanceOf(Plan.ReadBody.class);
      assertThat(type(world.refused(post(older)))).isEqualTo("key-expired");
      assertThat(world.refused(post(older)).status()).isEqualTo(400);
      assertThat(type(world.refused(post("01ARYZ6S41TSV4RRFFQ69G5FAV")))).isEqualTo("key-expired");
      assertThat(world.guard.plan(post("order-1"))).isInstanceOf(Plan.ReadBody.class);
    }
  }

  @Test
  void timedKeysRunAtAnyAgeByDefault() {
    assertThat(outcome(HttpPolicy.create(), post("01ARYZ6S41TSV4RRFFQ69G5FAV")))
        .isEqualTo("guarded");
  }

  private static String uuid7(long millis) {
    String hex = "%012x".formatted(millis);
    return hex.substring(0, 8) + "-" + hex.substring(8) + "-7000-8000-000000000000";
  }

  @ParameterizedTest
  @CsvSource(
      value = {"null", "''", "' '"},
      nullValues = "null")
  void aCallerWithoutIdentityIsRefusedUnlessTheAccountIsShared(
      @org.jspecify.annotations.Nullable String account) {
    RequestHead head =
        RequestHead.of(
            "POST", "/payments", null, List.of(new Header("Idempotency-Key", "k")), account);

    assertThat(outcome(HttpPolicy.create(), head)).isEqualTo("account-missing");
    assertThat(outcome(HttpPolicy.create().anonymous(Anonymous.SHARED), head)).isEqualTo("guarded");
  }

  @Test
  void aBodyThatAnnouncesTooMuchIsRefusedBeforeItIsReadAndBeforeAnyClaim() {
    try (World world = World.of(HttpPolicy.create().bodyLimit(10))) {
      Answer answer = world.refused(post("k", new Header("Content-Length", "11")));

      assertThat(answer.status()).isEqualTo(413);
      assertThat(type(answer)).isEqualTo("body-too-large");
      assertThat(world.claims).isZero();
      assertThat(world.guard.plan(post("k", new Header("Content-Length", "10"))))
          .isInstanceOf(Plan.ReadBody.class);
    }
  }

  @Test
  void aBodyThatTurnsOutTooLargeIsRefusedWhileItIsRead() throws Exception {
    try (World world = World.of(HttpPolicy.create().bodyLimit(10))) {
      Plan.ReadBody plan = world.planned(post("k"));
      try (BodySpool spool = plan.spool()) {
        assertThat(spool.write(new byte[10], 0, 10)).isTrue();
        assertThat(spool.write(new byte[1], 0, 1)).isFalse();
      }
      assertThat(plan.bodyTooLarge().status()).isEqualTo(413);
      assertThat(world.claims).isZero();
    }
  }

  @Test
  void aKeyIsOnlyAKeyInsideItsScope() {
    try (World world =
        new World(
            HttpPolicy.create().anonymous(Anonymous.SHARED), Map.of("/**", HttpPolicy.create()))) {
      List<Header> key = List.of(new Header("Idempotency-Key", "k"));
      List<RequestHead> others =
          List.of(
              RequestHead.of("POST", "/payments", null, key, "a"),
              RequestHead.of("POST", "/payments", null, key, "b"),
              RequestHead.of("PATCH", "/payments", null, key, "a"),
              RequestHead.of("POST", "/refunds", null, key, "a"),
              RequestHead.of("POST", "/payments/", null, key, "a"),
              new RequestHead("POST", "/payments", null, key, "a", "v2"),
              new RequestHead("POST", "/payments", null, key, "a", "v1"),
              RequestHead.of("POST", "/payments", null, key, null),
              RequestHead.of("POST", "/payments", null, key, "anonymous"),
              RequestHead.of("POST", "/payments", null, key, "anonymous shared"),
              RequestHead.of("POST", "/payments", null, key, "x".repeat(5000)),
              RequestHead.of("POST", "/payments", null, key, "x".repeat(5001)),
              RequestHead.of("POST", "/payments", null, key, "a\u0000"),
              RequestHead.of("POST", "/payments", null, key, "a\ud800"),
              RequestHead.of("POST", "/payments", null, key, "a\ud801"),
              RequestHead.of("POST", "/" + "p".repeat(9000), null, key, "a"));

      for (RequestHead head : others) {
        world.run(head, "b").answered(201, List.of(), Bytes.EMPTY);
      }
      for (RequestHead head : others) {
        assertThat(world.answered(head, "b").source()).isEqualTo(Answer.Source.REPLAY);
      }
    }
  }

  @Test
  void aRetentionThatTheStoreCannotKeepIsRefusedAtStart() {
    assertThatThrownBy(() -> World.of(HttpPolicy.create().retention(Duration.ofDays(31))))
        .hasMessageContaining("raise the store's unsettledRetention");
  }

  @Test
  void theSameRouteTwiceIsRefusedAtStart() {
    try (World world = World.create()) {
      assertThatThrownBy(
              () ->
                  HttpGuard.builder(world.engine)
                      .route("/a", HttpPolicy.create())
                      .route("/a", HttpPolicy.create()))
          .hasMessageContaining("/a");
    }
  }

  @Test
  void aRouteThatIsThereInAnotherSpellingIsRefused() {
    try (World world = World.create()) {
      HttpGuard.Builder guard =
          HttpGuard.builder(world.engine).route("POST /orders/{id}", HttpPolicy.create());

      assertThatThrownBy(() -> guard.route("POST /orders/{number}", HttpPolicy.create()))
          .hasMessage("the route POST /orders/{number} is there already");
      assertThat(guard.route("/orders/{id}", HttpPolicy.create()).build().routes()).hasSize(2);
    }
  }

  private static Scope scope(String account) {
    try (World world = World.of(HttpPolicy.create())) {
      RequestHead head =
          RequestHead.of(
              "POST",
              "/payments",
              null,
              List.of(new Header("Idempotency-Key", freshKey())),
              account);
      return world.planned(head).scope();
    }
  }

  @Test
  void anAccountCannotBeNamedLikeTheDigestOfAnother() {
    Scope digested = scope("a".repeat(2000));

    assertThat(digested.account()).startsWith("sha256:");
    assertThat(scope(digested.account())).isNotEqualTo(digested);
    assertThat(scope("a".repeat(2000))).isEqualTo(digested);
  }
}
