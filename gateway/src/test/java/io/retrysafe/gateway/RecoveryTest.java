// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Upstreams that are asked what became of an operation, and authorizers before replays. */
class RecoveryTest extends GatewayTests {
  private static final Duration AFTER = Duration.ofSeconds(30);

  private final AtomicInteger lookupStatus = new AtomicInteger(404);
  private final AtomicInteger posts = new AtomicInteger();

  /** Cuts the first POST off and answers later ones; answers a GET as it is told. */
  private Upstream upstream() throws IOException {
    return started(
        new Upstream(
            (asked, socket) ->
                asked.head().startsWith("GET ")
                    ? Upstream.write(socket, lookupStatus.get(), "looked up")
                    : posts.incrementAndGet() > 1 && Upstream.write(socket, 201, "charged")));
  }

  private Gateway asking(Upstream upstream, ForwardKey forwardKey) {
    return gateway(
        upstream,
        c ->
            c.route(
                GatewayRoute.create("POST /payments")
                    .forwardKey(forwardKey)
                    .lookup(RecoveryLookup.parse("GET /payments/by-key/{key}", AFTER))));
  }

  private Wire.Reply call(Gateway gateway) throws IOException {
    return Wire.call(
        port(gateway), Wire.post("/payments", key, "Authorization: Bearer t\r\n", "{}"));
  }

  private void pass(Duration time) {
    now.updateAndGet(before -> before.plus(time));
  }

  @Test
  void nobodyIsAskedBeforeItIsTime() throws Exception {
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.SAME);
    assertThat(call(gateway).problem()).isEqualTo("upstream-silent");

    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");
    pass(AFTER.minusSeconds(1));
    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");

    assertThat(upstream.count("GET")).isZero();
    assertThat(upstream.count("POST")).isEqualTo(1);
  }

  @Test
  void whatNeverHappenedIsRun() throws Exception {
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.SAME);
    call(gateway);
    pass(AFTER);

    Wire.Reply reply = call(gateway);

    assertThat(reply.text()).isEqualTo("charged");
    assertThat(upstream.count("POST")).isEqualTo(2);
    Upstream.Asked lookup = upstream.asked().get(1);
    assertThat(lookup.line()).isEqualTo("GET /payments/by-key/" + key + " HTTP/1.1");
    assertThat(lookup.all("Authorization")).containsExactly("Bearer t");
    assertThat(call(gateway).isReplayed()).isTrue();
  }

  @Test
  void whatHappenedIsAnsweredAndNotRunAgain() throws Exception {
    lookupStatus.set(200);
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.DERIVED);
    call(gateway);
    pass(AFTER);

    for (int i = 0; i < 2; i++) {
      Wire.Reply reply = call(gateway);
      assertThat(reply.text()).isEqualTo("looked up");
      assertThat(reply.isReplayed()).isTrue();
    }

    assertThat(upstream.count("POST")).isEqualTo(1);
    assertThat(upstream.count("GET")).isEqualTo(1);
    String sent = upstream.asked().get(0).all("Idempotency-Key").get(0);
    assertThat(upstream.asked().get(1).line()).contains("/by-key/" + sent + " ");
  }

  @Test
  void whatNobodyKnowsStaysParkedAndIsAskedAgainLater() throws Exception {
    lookupStatus.set(500);
    Upstream upstream = upstream();
    Gateway gateway = asking(upstream, ForwardKey.SAME);
    call(gateway);
    pass(AFTER);

    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");
    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");

    assertThat(upstream.count("GET")).isEqualTo(1);
    assertThat(upstream.count("POST")).isEqualTo(1);
    lookupStatus.set(200);
    pass(AFTER);
    assertThat(call(gateway).text()).isEqualTo("looked up");
  }

  @Test
  void anAuthorizerIsAskedBeforeEachReplay() throws Exception {
    AtomicInteger verdict = new AtomicInteger(204);
    Upstream authorizer =
        started(
            new Upstream(
                (asked, socket) ->
                    Upstream.write(
                        socket,
                        "HTTP/1.1 "
                            + verdict.get()
                            + " Any\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n")));
    Upstream upstream = started(Upstream.charging());
    URI authorize = URI.create(authorizer.url() + "/may?replay=1");
    Gateway gateway =
        gateway(upstream, c -> c.route(GatewayRoute.create("POST /payments").authorize(authorize)));
    assertThat(call(gateway).status()).isEqualTo(201);
    assertThat(authorizer.asked()).isEmpty();

    assertThat(call(gateway).isReplayed()).isTrue();

    Upstream.Asked question = authorizer.asked().get(0);
    assertThat(question.line()).isEqualTo("GET /may?replay=1 HTTP/1.1");
    assertThat(question.all("Authorization")).containsExactly("Bearer t");
    assertThat(question.all("X-Original-URI")).containsExactly("/payments");
    assertThat(question.all("X-Original-Method")).containsExactly("POST");
    for (int status : new int[] {401, 403}) {
      verdict.set(status);
      Wire.Reply refused = call(gateway);
      assertThat(refused.status()).isEqualTo(status);
      assertThat(refused.text()).isEmpty();
      assertThat(refused.header("WWW-Authenticate")).contains("Bearer");
    }
    verdict.set(500);
    assertThat(call(gateway).problem()).isEqualTo("authorizer-unavailable");
    authorizer.close();
    assertThat(call(gateway).problem()).isEqualTo("authorizer-unavailable");
    assertThat(upstream.asked()).hasSize(1);
  }
}
