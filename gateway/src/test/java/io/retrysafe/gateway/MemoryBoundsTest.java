// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Mode;
import io.retrysafe.store.Store;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** More bodies and answers at once than there is memory for. */
class MemoryBoundsTest extends GatewayTests {
  private final CountDownLatch go = new CountDownLatch(1);
  private volatile boolean isStarted;

  @Test
  void bodiesThatFindNoRoomInMemoryGoToDisk() throws Exception {
    for (long most : new long[] {0, 50, 1000}) {
      CountDownLatch held = new CountDownLatch(1);
      Upstream upstream =
          started(
              new Upstream(
                  (asked, socket) ->
                      held.await(60, TimeUnit.SECONDS)
                          && Upstream.write(
                              socket, 201, new String(asked.body(), StandardCharsets.UTF_8))));
      Gateway gateway = gateway(upstream, c -> c.limits(limits().bodiesMemory(most)));
      String body = "x".repeat(100);
      String request = Wire.post("/payments", key + most, "", body);
      try (Wire wire = new Wire(port(gateway))) {
        wire.send(request.substring(0, request.length() - 60));
        wire.send(request.substring(request.length() - 60));
        until(() -> upstream.asked().size() == 1);

        assertThat(gateway.metrics().bodies().held()).isEqualTo(most == 1000 ? 100 : 0);

        held.countDown();
        assertThat(wire.read().text()).isEqualTo(body);
      }
      Wire.Reply again = Wire.call(port(gateway), request);
      assertThat(again.isReplayed()).isTrue();
      assertThat(again.text()).isEqualTo(body);
      until(() -> gateway.metrics().bodies().held() == 0);
    }
  }

  @Test
  void bodiesThatNeverEndGiveTheirMemoryBack() throws Exception {
    Gateway gateway = gateway(started(Upstream.charging()));
    String whole = Wire.post("/payments", key);
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(whole.substring(0, whole.length() - 1));
      until(() -> gateway.metrics().bodies().held() > 0);
    }

    until(() -> gateway.metrics().bodies().held() == 0);
  }

  @Test
  void anAnswerHoldsMemoryUntilItIsRecorded() throws Exception {
    CountDownLatch recording = new CountDownLatch(1);
    Store slow =
        Intercepted.store(
            store,
            (method, inside) -> {
              if (method.equals("complete") && isStarted) {
                recording.countDown();
                go.await(60, TimeUnit.SECONDS);
              }
              return inside.call();
            });
    Upstream upstream = started(Upstream.charging());
    GatewayConfig config =
        config(upstream.url()).limits(limits().storeDeadline(Duration.ofMinutes(1))).build();
    Gateway gateway = started(Gateway.start(config, slow));
    isStarted = true;
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      assertThat(recording.await(60, TimeUnit.SECONDS)).isTrue();

      assertThat(gateway.metrics().text(true)).contains("retrysafe_answers_bytes 8\n");

      go.countDown();
      assertThat(wire.read().text()).isEqualTo("charge 1");
    }
    until(() -> gateway.metrics().answers().held() == 0);
  }

  @Test
  void answersThatFindNoRoomInMemoryPassAndAreNotKept() throws Exception {
    String body = "x".repeat(100);
    Upstream upstream = started(new Upstream((asked, s) -> Upstream.write(s, 201, body)));
    for (int most : new int[] {0, 99, 100}) {
      Gateway gateway = gateway(upstream, c -> c.limits(limits().answersMemory(most)));
      String request = Wire.post("/payments", key + most);

      assertThat(Wire.call(port(gateway), request).text()).isEqualTo(body);

      // An answer that leaves as it comes is recorded after its last byte.
      until(() -> !Wire.call(port(gateway), request).problem().equals("in-progress"));
      Wire.Reply again = Wire.call(port(gateway), request);
      assertThat(again.problem()).isEqualTo(most < 100 ? "answer-not-kept" : "");
      assertThat(again.isReplayed()).isEqualTo(most == 100);
      until(() -> gateway.metrics().answers().held() == 0);
    }
    assertThat(upstream.asked()).hasSize(3);
  }

  @Test
  void anAnswerThatBreaksOffGivesItsMemoryBack() throws Exception {
    CountDownLatch half = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(socket, "HTTP/1.1 201 Any\r\nContent-Length: 100\r\n\r\nhalf");
                  assertThat(half.await(60, TimeUnit.SECONDS)).isTrue();
                  return false;
                }));
    Gateway gateway = gateway(upstream);
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));
      until(() -> gateway.metrics().answers().held() == 4);
      half.countDown();

      assertThat(wire.read().problem()).isEqualTo("upstream-silent");
    }
    until(() -> gateway.metrics().answers().held() == 0);
  }

  @Test
  void bodiesThatAreObservedAreBoundedToo() throws Exception {
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    for (long most : new long[] {0, 1000}) {
      Gateway gateway =
          gateway(upstream, c -> c.mode(Mode.OBSERVE).limits(limits().bodiesMemory(most)));
      String whole = Wire.post("/payments", key, "", "x".repeat(100));
      try (Wire gone = new Wire(port(gateway))) {
        gone.send(whole.substring(0, whole.length() - 1));
        until(() -> gateway.metrics().bodies().held() == (most == 0 ? 0 : 99));
      }
      until(() -> gateway.metrics().bodies().held() == 0);
      try (Wire wire = new Wire(port(gateway))) {
        wire.send(whole);
        until(() -> metrics(gateway).contains(most == 0 ? "not-observed\"} 1" : "first\"} 1"));
        go.countDown();
        assertThat(wire.read().status()).isEqualTo(201);
      }
      until(() -> gateway.metrics().bodies().held() == 0);
    }
  }
}
