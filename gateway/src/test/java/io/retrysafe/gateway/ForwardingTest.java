// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.ForwardKey;
import io.retrysafe.gateway.config.GatewayRoute;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What of a request reaches the upstream, and what of its answer the client. */
class ForwardingTest extends GatewayTests {
  private static final String SPOOFED =
      String.join(
          "\r\n",
          "Connection: close, X-Private",
          "X-Private: 1",
          "Keep-Alive: 5",
          "TE: trailers",
          "Upgrade: websocket",
          "Proxy-Authorization: Basic eA==",
          "Proxy-Connection: x",
          "Trailer: X-T",
          "X-Forwarded-For: 6.6.6.6",
          "X-Forwarded-Host: evil",
          "X-Forwarded-Proto: https",
          "X-Forwarded-Prefix: /x",
          "Forwarded: for=6.6.6.6",
          "X-Real-IP: 6.6.6.6",
          "Retrysafe-Outcome: final",
          "Idempotent-Replayed: true",
          "X-Own: a",
          "X-Own: b",
          "Authorization: Bearer t",
          "");

  private void assertForwarded(Upstream.Asked asked) {
    for (String name :
        List.of(
            "X-Private",
            "Keep-Alive",
            "TE",
            "Upgrade",
            "Proxy-Authorization",
            "Proxy-Connection",
            "Trailer",
            "X-Forwarded-Prefix",
            "X-Real-IP",
            "Retrysafe-Outcome",
            "Idempotent-Replayed")) {
      assertThat(asked.all(name)).as("%s", name).isEmpty();
    }
    assertThat(asked.all("X-Forwarded-For")).containsExactly("127.0.0.1");
    assertThat(asked.all("X-Forwarded-Host")).containsExactly("test");
    assertThat(asked.all("X-Forwarded-Proto")).containsExactly("http");
    assertThat(asked.all("Forwarded")).containsExactly("for=127.0.0.1;host=\"test\";proto=http");
    assertThat(asked.all("X-Own")).containsExactly("a", "b");
    assertThat(asked.all("Authorization")).containsExactly("Bearer t");
  }

  @Test
  void headersOfOneConnectionAndSpoofedOnesDoNotPass() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream);

    Wire.call(port(gateway), Wire.get("/x", SPOOFED));
    Wire.call(port(gateway), Wire.post("/payments", key, SPOOFED, "{}"));

    assertForwarded(upstream.asked().get(0));
    assertForwarded(upstream.asked().get(1));
    assertThat(upstream.asked().get(1).all("Host")).containsExactly("127.0.0.1:" + upstream.port());
  }

  @Test
  void headersOfTheUpstreamsConnectionDoNotPass() throws Exception {
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) ->
                    Upstream.write(
                        socket,
                        String.join(
                            "\r\n",
                            "HTTP/1.1 200 OK",
                            "Connection: keep-alive, X-Private",
                            "X-Private: 1",
                            "Keep-Alive: timeout=5",
                            "X-Own: a",
                            "X-Own: b",
                            "Content-Length: 2",
                            "",
                            "ok"))));
    Gateway gateway = gateway(upstream);

    for (String request : List.of(Wire.get("/x", ""), Wire.post("/payments", key))) {
      Wire.Reply reply = Wire.call(port(gateway), request);
      assertThat(reply.headers()).contains("X-Own: a", "X-Own: b");
      assertThat(reply.header("X-Private")).isEmpty();
      assertThat(reply.header("Keep-Alive")).isEmpty();
    }
  }

  @Test
  void theUpstreamGetsTheKeyThatTheRouteSays() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.route(GatewayRoute.create("POST /same"))
                    .route(GatewayRoute.create("POST /derived").forwardKey(ForwardKey.DERIVED))
                    .route(GatewayRoute.create("POST /none").forwardKey(ForwardKey.NONE)));

    for (String path : List.of("/same", "/derived", "/none")) {
      assertThat(Wire.call(port(gateway), Wire.post(path, key)).status()).isEqualTo(201);
    }

    assertThat(upstream.asked().get(0).all("Idempotency-Key")).containsExactly(key);
    assertThat(upstream.asked().get(1).all("Idempotency-Key"))
        .hasSize(1)
        .noneMatch(key::equals)
        .allMatch(derived -> derived.length() == 36);
    assertThat(upstream.asked().get(2).all("Idempotency-Key")).isEmpty();
  }

  @Test
  void pathAndQueryPassAsTheyWereSent() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream);

    Wire.call(port(gateway), Wire.get("/a%2Fb//c/../d;v=1?x=%20&y=[1]", ""));

    assertThat(upstream.asked().get(0).line())
        .isEqualTo("GET /a%2Fb//c/../d;v=1?x=%20&y=[1] HTTP/1.1");
  }

  @Test
  void routesLeadToTheirUpstreams() throws Exception {
    Upstream first = started(new Upstream((asked, s) -> Upstream.write(s, 200, "first")));
    Upstream second = started(new Upstream((asked, s) -> Upstream.write(s, 200, "second")));
    Gateway gateway =
        gateway(
            first,
            c ->
                c.upstream("other", second.url())
                    .route(GatewayRoute.create("/other/**").upstream("other")));

    assertThat(Wire.call(port(gateway), Wire.get("/x", "")).text()).isEqualTo("first");
    assertThat(Wire.call(port(gateway), Wire.get("/other/x", "")).text()).isEqualTo("second");
    assertThat(Wire.call(port(gateway), Wire.post("/other/y", key)).text()).isEqualTo("second");
  }
}
