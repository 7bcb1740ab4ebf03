// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.HostileClientTable.ALL;
import static io.retrysafe.gateway.HostileClientTable.shown;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClientTable.Answer;
import io.retrysafe.gateway.HostileClientTable.Port;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Well-formed heads with which a client tries to be served as somebody, or something, else. */
class HostileClientHeadsTest extends HostileClientTests {
  private static final List<String> MISSPELT_METHODS =
      List.of("post", "Post", "get", "pATCH", "delete", "propfind");
  private static final List<String> METHODS_THAT_NEED_A_KEY =
      List.of("FOO", "MKCOL", "MOVE", "POST", "PATCH");
  private static final List<String> WRONG_KEYS =
      List.of(
          "a,b",
          "\"a",
          "a\"",
          "\"a\", \"b\"",
          "\"a\\x\"",
          "a\\b",
          "k\u00e9y",
          "a\tb",
          "\" \"",
          "x".repeat(10_000));
  private static final List<String> OTHER_TARGETS =
      List.of(
          "/payments;to=bob",
          "/payments?to=bob",
          "/payments?",
          "/./payments",
          "/x/../payments",
          "/x/%2e%2E/payments",
          "/pay%6Dents",
          "/..;/payments");
  private static final List<String> DROPPED =
      List.of(
          "x-http-method-override",
          "x-http-method",
          "x-method-override",
          "x_http_method_override",
          "x_forwarded_for",
          "x-forwarded_for",
          "x_real_ip",
          "proxy",
          "x-original-url",
          "x-rewrite-url",
          "x_original_url",
          "idempotency_key",
          "content_length",
          "transfer_encoding",
          "retrysafe_outcome");

  @Override
  void attacks(HostileClientTable table) {
    for (String method : MISSPELT_METHODS) {
      table.answered(
          Port.REQUESTS,
          "the method " + method,
          HostileClientRequest.of(method, "/payments", "idempotency-key", key()),
          Answer.of(400, "method-invalid"));
    }
    for (String method : METHODS_THAT_NEED_A_KEY) {
      table.answered(
          Port.REQUESTS,
          method + " without a key",
          HostileClientRequest.of(method, "/payments"),
          Answer.of(400, "key-missing"));
    }
    table.onBoth(ALL, "TRACE on the admin API", client -> client.call("TRACE", "/api/operations"));
    for (String key : WRONG_KEYS) {
      table.answered(
          Port.REQUESTS,
          "the key " + shown(key),
          HostileClientRequest.of("POST", "/payments", "idempotency-key", key),
          Answer.of(400, "key-invalid"));
    }
    table.answered(
        Port.REQUESTS,
        "one key twice",
        HostileClientRequest.of(
            "POST", "/payments", "idempotency-key", "k", "idempotency-key", "k"),
        Answer.of(400, "key-invalid"));
    for (String target : OTHER_TARGETS) {
      table.on(
          Port.REQUESTS, ALL, target + " under a known key", client -> otherTarget(client, target));
    }
    table.on(Port.REQUESTS, ALL, "headers that upstreams misread", this::dropped);
    for (int status : List.of(42, 99, 600, 999)) {
      table.on(
          Port.REQUESTS,
          ALL,
          "an upstream that answers " + status,
          client -> oddStatus(client, "/status/" + status));
    }
  }

  private void otherTarget(HostileClient client, String target) throws IOException {
    String key = key();
    assertThat(client.call("POST", "/payments", "idempotency-key", key).status()).isEqualTo(201);
    assertThat(client.call("POST", target, "idempotency-key", key).problem())
        .isEqualTo("key-reused");
  }

  private void dropped(HostileClient client) throws IOException {
    List<String> sent = new ArrayList<>();
    DROPPED.forEach(name -> sent.addAll(List.of(name, "6")));
    String path = "/dropped/" + key();
    assertThat(client.call("GET", path, sent.toArray(new String[0])).status()).isEqualTo(201);
    for (String name : DROPPED) {
      assertThat(upstream().asked(path).all(name)).as(name).isEmpty();
    }
  }

  private static void oddStatus(HostileClient client, String path) throws IOException {
    assertThat(client.call("GET", path).problem()).isEqualTo("upstream-silent");
    String key = key();
    assertThat(client.call("POST", path, "idempotency-key", key).problem())
        .isEqualTo("upstream-silent");
    assertThat(client.call("POST", path, "idempotency-key", key).problem())
        .isEqualTo("outcome-unknown");
  }
}
