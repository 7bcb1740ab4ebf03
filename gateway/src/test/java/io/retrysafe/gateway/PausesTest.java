// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Answers without a length that come in parts. */
class PausesTest extends GatewayTests {
  private static final String HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String PART = "4\r\npart\r\n";
  private static final String END = "0\r\n\r\n";

  private Gateway pausing(Upstream upstream, Duration longest) {
    GatewayConfig config = config(upstream.url()).build();
    return started(Gateway.builder(config, store).longestPause(longest).start());
  }

  private static boolean inParts(Socket socket, int parts, long pauseMillis)
      throws IOException, InterruptedException {
    Upstream.write(socket, HEAD);
    for (int i = 0; i < parts; i++) {
      Thread.sleep(pauseMillis);
      Upstream.write(socket, PART);
    }
    return Upstream.write(socket, END);
  }

  @Test
  void aSlowAnswerIsKeptIfEachOfItsPausesIsShort() throws Exception {
    Upstream upstream = started(new Upstream((asked, socket) -> inParts(socket, 8, 300)));
    Gateway gateway = pausing(upstream, Duration.ofSeconds(2));

    Wire.Reply first = Wire.call(port(gateway), Wire.post("/payments", key));
    Wire.Reply retry = Wire.call(port(gateway), Wire.post("/payments", key));

    assertThat(first.text()).isEqualTo("part".repeat(8));
    assertThat(retry.isReplayed()).as("%s", retry).isTrue();
    assertThat(retry.text()).isEqualTo(first.text());
  }

  @Test
  void anAnswerLeavesAsItComesFromItsFirstLongPauseOn() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(socket, HEAD + PART);
                  go.await(60, TimeUnit.SECONDS);
                  return Upstream.write(socket, PART + END);
                }));
    Gateway gateway = gateway(upstream);
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.post("/payments", key));

      assertThat(wire.line()).as("sent while the upstream pauses").isEqualTo("HTTP/1.1 200 OK");
      go.countDown();
    }

    until(
        () ->
            Wire.call(port(gateway), Wire.post("/payments", key))
                .problem()
                .equals("answer-not-kept"));
  }

  @Test
  void aLateAnswerIsKeptWhateverItsPauses() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> go.await(60, TimeUnit.SECONDS) && inParts(socket, 2, 300)));
    Gateway gateway =
        gateway(upstream, c -> c.limits(limits().answerTimeout(Duration.ofSeconds(1))));

    Wire.Reply first = Wire.call(port(gateway), Wire.post("/payments", key));
    go.countDown();

    assertThat(first.problem()).isEqualTo("upstream-silent");
    until(() -> Wire.call(port(gateway), Wire.post("/payments", key)).isReplayed());
  }

  @Test
  void anAnswerThatComesLateAndNeverEndsIsGivenUp() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Thread.sleep(600);
                  Upstream.write(socket, HEAD);
                  try {
                    while (Upstream.write(socket, PART)) {
                      Thread.sleep(20);
                    }
                  } catch (IOException e) {
                    closed.countDown();
                  }
                  return false;
                }));
    Limits hasty = limits().answerTimeout(Duration.ofMillis(200));
    Gateway gateway = gateway(upstream, c -> c.limits(hasty));

    assertThat(Wire.call(port(gateway), Wire.post("/payments", key)).problem())
        .isEqualTo("upstream-silent");

    assertThat(hasty.lateWithin()).isEqualTo(Duration.ofSeconds(2));
    assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
  }
}
