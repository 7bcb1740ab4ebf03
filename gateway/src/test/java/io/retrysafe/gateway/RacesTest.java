// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What happens while something else happens: clients that go, answers that come late. */
class RacesTest extends GatewayTests {
  private static final int LARGE = 3 * 1024 * 1024;

  private Wire.Reply call(Gateway gateway) {
    try {
      return Wire.call(port(gateway), Wire.post("/payments", key));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether a duplicate waits; if so, it goes away. */
  private boolean waits(Gateway gateway) throws IOException {
    try (Wire wire = new Wire(port(gateway))) {
      wire.timeout(300);
      wire.send(Wire.post("/payments", key)).read();
      return false;
    } catch (SocketTimeoutException e) {
      return true;
    }
  }

  @Test
  void aDuplicateThatGoesAwayWhileItWaitsMakesRoomForAnother() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    Gateway gateway =
        gateway(upstream, c -> c.policy(c.policy().wait(Duration.ofMinutes(5)).waiters(1)));
    CompletableFuture<Wire.Reply> first =
        CompletableFuture.supplyAsync(() -> call(gateway), THREADS);
    until(() -> upstream.asked().size() == 1);
    try (Wire waiting = new Wire(port(gateway))) {
      waiting.send(Wire.post("/payments", key));
      until(() -> !waits(gateway));
    }

    until(() -> waits(gateway));

    go.countDown();
    assertThat(first.get(60, TimeUnit.SECONDS).text()).isEqualTo("charged");
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void anUpstreamThatNeverAnswersIsGivenUpInTheEnd() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  if (socket.getInputStream().read() < 0) {
                    closed.countDown();
                  }
                  return false;
                }));
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofMillis(100))));

    assertThat(call(gateway).problem()).isEqualTo("upstream-silent");

    assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(call(gateway).problem()).isEqualTo("outcome-unknown");
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void aRequestThatPassesEndsWithItsClient() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  if (socket.getInputStream().read() < 0) {
                    closed.countDown();
                  }
                  return false;
                }));
    Gateway gateway = gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofHours(1))));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.get("/x", ""));
      until(() -> upstream.asked().size() == 1);
    }

    assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aBodyIsAskedForOnlyWhereItIsWanted() throws Exception {
    Gateway gateway = gateway(started(Upstream.charging()));
    String expect = "Expect: 100-continue\r\n";
    try (Wire wire = new Wire(port(gateway))) {
      String whole = Wire.post("/payments", key, expect, "{}");
      wire.send(whole.substring(0, whole.length() - 2));
      assertThat(wire.read().status()).isEqualTo(100);
      assertThat(wire.send("{}").read().status()).isEqualTo(201);
    }
    try (Wire wire = new Wire(port(gateway))) {
      wire.send("POST /x HTTP/1.1\r\nHost: test\r\n" + expect + "Content-Length: 2\r\n\r\n");
      assertThat(wire.read().problem()).isEqualTo("key-missing");
      assertThat(wire.isClosed()).as("the next bytes could be a body or a request").isTrue();
    }
  }

  @Test
  void aLateAnswerThatIsTooLargeSettlesWithoutBeingKept() throws Exception {
    for (String length : new String[] {"Content-Length: " + LARGE, "Connection: close"}) {
      CountDownLatch go = new CountDownLatch(1);
      Upstream upstream =
          started(
              new Upstream(
                  (asked, socket) -> {
                    go.await();
                    Upstream.write(socket, "HTTP/1.1 200 OK\r\n" + length + "\r\n\r\n");
                    socket.getOutputStream().write(new byte[LARGE]);
                    return false;
                  }));
      Gateway gateway =
          gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofSeconds(1))));
      String request = Wire.post("/payments", key + length.length());
      try (Wire wire = new Wire(port(gateway))) {
        assertThat(wire.send(request).read().problem()).isEqualTo("upstream-silent");
        go.countDown();
        until(() -> Wire.call(port(gateway), request).problem().equals("answer-not-kept"));
        assertThat(wire.send(Wire.get("/x", "")).read().status())
            .as("nothing of it came between")
            .isEqualTo(200);
      }
      assertThat(upstream.count("POST")).isEqualTo(1);
    }
  }

  @Test
  void aLateAnswerIsRecordedAfterTheOutcomeWasSaidToBeUnknown() throws Exception {
    CountDownLatch answering = new CountDownLatch(1);
    CountDownLatch releasing = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    CountDownLatch completing = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(answering, 201, "at last"));
    Store slow =
        Intercepted.store(
            MemoryStore.create(),
            (method, inside) -> {
              if (method.equals("release")) {
                releasing.countDown();
                released.await();
              } else if (method.equals("complete") && answering.getCount() == 0) {
                completing.countDown();
              }
              return inside.call();
            });
    GatewayConfig config =
        config(upstream.url())
            .limits(
                limits().answerTimeout(Duration.ofSeconds(1)).storeDeadline(Duration.ofMinutes(1)))
            .route(GatewayRoute.create("POST /payments").policy(HttpPolicy.create()))
            .build();
    Gateway gateway = started(Gateway.start(config, slow));
    CompletableFuture<Wire.Reply> told =
        CompletableFuture.supplyAsync(() -> call(gateway), THREADS);
    assertThat(releasing.await(60, TimeUnit.SECONDS)).isTrue();
    answering.countDown();
    // Not over the admin port, which would record an operation of its own.
    until(
        () ->
            gateway
                .metrics()
                .text(true)
                .contains("retrysafe_upstream_seconds_count{route=\"POST /payments\"} 1.0\n"));

    assertThat(completing.await(300, TimeUnit.MILLISECONDS)).as("one after the other").isFalse();

    released.countDown();
    assertThat(told.get(60, TimeUnit.SECONDS).problem()).isEqualTo("upstream-silent");
    until(() -> call(gateway).isReplayed());
    assertThat(upstream.asked()).hasSize(1);
  }
}
