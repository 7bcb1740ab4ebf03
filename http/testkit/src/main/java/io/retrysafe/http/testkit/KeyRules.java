// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testkit.Rule;
import java.util.List;
import java.util.UUID;

/** Which requests need a key, what a key is, and where it counts. */
abstract class KeyRules extends Rules {
  KeyRules(Stage stage) {
    super(stage);
  }

  @Rule("H-01")
  void aRequestThatNeedsAKeyAndHasNoneIsRefused() throws Exception {
    Script script = charging();
    for (String method : List.of("POST", "PATCH")) {
      Reply reply = send(payment(script).to(method, "/payments").without("Idempotency-Key"));

      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.problem()).isEqualTo("key-missing");
      assertThat(reply.has("retryable", "false")).isTrue();
      assertThat(reply.has("status", "400")).isTrue();
      assertThat(reply.text()).contains("\"title\":", "\"detail\":");
    }
    assertThat(script.runs()).isZero();
  }

  @Rule("H-02")
  void whereAKeyIsOptionalItIsHonoured() throws Exception {
    for (String method : List.of("PUT", "DELETE")) {
      Script script = charging();
      Request request = payment(script).to(method, "/payments");
      assertThat(send(request.without("Idempotency-Key")).status()).isEqualTo(201);
      assertThat(send(request.without("Idempotency-Key")).text()).isEqualTo("{\"charge\":2}");

      assertReplay(send(request), resend(request));
      assertThat(script.runs()).isEqualTo(3);
    }
  }

  @Rule("H-03")
  void safeMethodsPassUntouched() throws Exception {
    Script script = charging();
    Request request = payment(script).to("GET", "/payments").body("");

    assertThat(send(request).text()).isEqualTo("{\"charge\":1}");
    Reply again = send(request);

    assertThat(again.text()).isEqualTo("{\"charge\":2}");
    assertThat(again.isReplayed()).isFalse();
  }

  @Rule("H-04")
  void whatIsNoRoutePassesUntouched() throws Exception {
    Script script = charging();
    Request request = payment(script).to("POST", "/elsewhere");

    assertThat(send(request).text()).isEqualTo("{\"charge\":1}");
    assertThat(send(request).text()).isEqualTo("{\"charge\":2}");
    assertThat(send(request.without("Idempotency-Key")).text()).isEqualTo("{\"charge\":3}");
  }

  @Rule("H-05")
  void whatIsNoKeyIsRefused() throws Exception {
    Script script = charging();
    for (String key :
        List.of("", "   ", "\"\"", "k".repeat(256), "caf\u00e9", "\"open", "\"a\", \"b\"", "a,b")) {
      Reply reply = send(payment(script).key(key));

      assertThat(reply.status()).as("key %s", key).isEqualTo(400);
      assertThat(reply.problem()).as("key %s", key).isEqualTo("key-invalid");
    }
    // A server may refuse control characters itself, in its own words.
    for (String key : List.of("a\u0001b", "a\u007fb", "a\tb")) {
      assertThat(send(payment(script).key(key)).status()).isEqualTo(400);
    }
    assertThat(script.runs()).isZero();
  }

  @Rule("H-06")
  void aKeyInTwoLinesIsRefused() throws Exception {
    Script script = charging();
    Request request = payment(script).key("a").header("idempotency-key", "a");

    assertThat(send(request).problem()).isEqualTo("key-invalid");
    assertThat(script.runs()).isZero();
  }

  @Rule("H-07")
  void quotedAndBareValuesAreTheSameKey() throws Exception {
    Script script = charging();
    String key = UUID.randomUUID().toString();
    Request request = payment(script);

    Reply bare = send(request.key(key));

    assertReplay(bare, resend(request.key('"' + key + '"')));
    assertReplay(bare, resend(request.key('"' + key + "\";v=1")));
    assertThat(script.runs()).isEqualTo(1);
  }

  @Rule("H-08")
  void aKeyOf255CharactersIsAKeyAndItsCaseCounts() throws Exception {
    Script script = charging();
    Request request = payment(script);

    assertReplay(send(request.key("k".repeat(255))), resend(request.key("k".repeat(255))));
    assertThat(send(request.key("K".repeat(255))).isReplayed()).isFalse();
    assertThat(script.runs()).isEqualTo(2);
  }

  @Rule("H-09")
  void anotherAccountHasItsOwnKeys() throws Exception {
    Script script = charging();
    Request request = payment(script);

    send(request);
    Reply other = resend(request.replace(Setup.ACCOUNT, account + "-other"));

    assertThat(other.text()).isEqualTo("{\"charge\":2}");
    assertThat(other.isReplayed()).isFalse();
  }

  @Rule("H-10")
  void anotherMethodOrPathHasItsOwnKeys() throws Exception {
    Script script = charging();
    Request request = payment(script);

    send(request);

    assertThat(resend(request.to("PATCH", "/payments")).isReplayed()).isFalse();
    assertThat(resend(request.to("POST", "/refunds/1")).isReplayed()).isFalse();
    assertThat(resend(request.to("POST", "/refunds/2")).isReplayed()).isFalse();
    assertThat(script.runs()).isEqualTo(4);
  }

  @Rule("H-11")
  void aCallerWithoutIdentityIsRefused() throws Exception {
    Script script = charging();
    Reply reply = send(payment(script).without(Setup.ACCOUNT));

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.problem()).isEqualTo("account-missing");
    assertThat(script.runs()).isZero();
  }

  @Rule("H-12")
  void aNaturalKeyIsMadeFromTheRequest() throws Exception {
    Script script = charging();
    Request request =
        payment(script)
            .to("POST", "/natural")
            .without("Idempotency-Key")
            .body("{\"order\":{\"id\":7}}");

    assertReplay(send(request), resend(request));
    assertThat(resend(request.body("{\"order\":{\"id\":8}}")).isReplayed()).isFalse();
    assertThat(resend(request.body("{}")).problem()).isEqualTo("key-missing");
    assertThat(script.runs()).isEqualTo(2);
  }

  @Rule("H-55")
  void methodsInOtherLettersAreRefused() throws Exception {
    Script script = charging();
    for (String method : List.of("post", "Post", "patch", "dELETE", "get")) {
      // A server may refuse it itself, in its own words.
      assertThat(send(payment(script).to(method, "/payments")).status())
          .as(method)
          .isIn(400, 405, 501);
    }
    assertThat(script.runs()).isZero();
  }

  @Rule("H-56")
  void methodsThatNobodyKnowsNeedAKey() throws Exception {
    Script script = charging();
    for (String method : List.of("CHARGE", "MKCOL")) {
      Request request = payment(script).to(method, "/payments").without("Idempotency-Key");

      Reply reply = send(request);

      // A framework may refuse it itself, in its own words.
      assertThat(reply.status()).as("%s: %s", method, reply).isIn(400, 405, 501);
    }
    assertThat(script.runs()).isZero();
  }
}
