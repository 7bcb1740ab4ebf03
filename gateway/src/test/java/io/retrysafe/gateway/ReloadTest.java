// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.Limits;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of connections to upstreams when a configuration is replaced. */
class ReloadTest extends GatewayTests {

  @Test
  void anAnswerThatTakesLongerThanTheOldConnectionsAreKeptIsNotCutOff() throws Exception {
    CountDownLatch enough = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) -> {
                  Upstream.write(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                  while (!enough.await(100, TimeUnit.MILLISECONDS)) {
                    Upstream.write(socket, "2\r\nx\n\r\n");
                  }
                  return Upstream.write(socket, "0\r\n\r\n");
                }));
    // A second after the answer timeout what is left of the old connections is closed.
    Limits limits = limits().answerTimeout(Duration.ofMillis(900));
    Gateway gateway = gateway(upstream, c -> c.limits(limits));
    try (Wire passing = new Wire(port(gateway));
        Wire guarded = new Wire(port(gateway))) {
      passing.send(Wire.get("/x", ""));
      guarded.send(Wire.post("/payments", key));
      assertThat(passing.line()).contains("200");
      assertThat(guarded.line()).contains("200");

      gateway.reload(config(upstream.url()).limits(limits).build());

      for (int i = 0; i < 40; i++) {
        passing.line();
        guarded.line();
      }
      enough.countDown();
      assertThat(lastLine(passing)).isEqualTo("0");
      assertThat(lastLine(guarded)).isEqualTo("0");
    }
  }

  private static String lastLine(Wire wire) throws Exception {
    String line = wire.line();
    while (!line.equals("0")) {
      line = wire.line();
    }
    return line;
  }

  @Test
  void anAnswerThatComesLateSettlesAlsoAfterAReload() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(go, 201, "at last"));
    Limits limits = limits().answerTimeout(Duration.ofSeconds(3));
    Gateway gateway = gateway(upstream, c -> c.limits(limits));
    String request = Wire.post("/payments", key);
    assertThat(Wire.call(port(gateway), request).problem()).isEqualTo("upstream-silent");

    gateway.reload(config(upstream.url()).limits(limits).build());
    // So that the event loops have looked at what they may close.
    for (int i = 0; i < 4 * gateway.loops(); i++) {
      assertThat(Wire.call(port(gateway), request).problem()).isEqualTo("outcome-unknown");
    }
    go.countDown();

    until(() -> Wire.call(port(gateway), request).isReplayed());
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void oldConnectionsAreClosedWhenNobodyUsesThem() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Limits limits = limits().upstreamIdle(Duration.ofHours(1));
    Gateway gateway = gateway(upstream, c -> c.limits(limits));
    Wire.call(port(gateway), Wire.post("/payments", key));
    assertThat(upstream.connections()).isEqualTo(1);

    gateway.reload(config(upstream.url()).limits(limits).build());

    until(() -> upstream.connections() == 0);
  }

  @Test
  void anUpstreamThatWasSilentBeforeTheReloadIsCutOffAfterIt() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    started(over::countDown);
    Upstream upstream = started(new Upstream((asked, socket) -> over.await(120, TimeUnit.SECONDS)));
    Limits limits = limits().answerTimeout(Duration.ofSeconds(1));
    Gateway gateway = gateway(upstream, c -> c.limits(limits));
    try (Wire wire = new Wire(port(gateway))) {
      wire.send(Wire.get("/x", ""));
      until(() -> upstream.asked().size() == 1);

      gateway.reload(config(upstream.url()).limits(limits).build());

      assertThat(wire.read().problem()).isEqualTo("upstream-silent");
    }
  }
}
