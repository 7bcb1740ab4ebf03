// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.Limits;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A gateway that was told to stop, and still has a request to end. */
class StoppingTest extends GatewayTests {
  private final CountDownLatch go = new CountDownLatch(1);
  private Gateway gateway;
  private Wire running;

  @BeforeEach
  void start() throws Exception {
    Upstream upstream = started(Upstream.holding(go, 201, "charged"));
    gateway = gateway(upstream, c -> c.limits(limits().stopWithin(Duration.ofMinutes(1))));
    running = started(new Wire(port(gateway))).send(Wire.post("/payments", key));
    until(() -> upstream.asked().size() == 1);
  }

  private String readiness() throws IOException {
    return Wire.call(gateway.adminAddress().getPort(), Wire.get("/health/ready", "")).text();
  }

  @Test
  void newRequestsAreSentElsewhereWhileTheGatewayStops() throws Exception {
    CompletableFuture<Void> stopping = CompletableFuture.runAsync(gateway::close, THREADS);

    until(() -> readiness().equals("stopping\n"));

    go.countDown();
    assertThat(running.read().text()).isEqualTo("charged");
    stopping.get(60, TimeUnit.SECONDS);
  }

  @Test
  void anOperationWhoseClientHasLeftIsRecordedBeforeTheGatewayHasStopped() throws Exception {
    running.close();
    until(() -> gateway.metrics().open().get() == 0);
    CompletableFuture<Void> stopping = CompletableFuture.runAsync(gateway::close, THREADS);
    until(() -> readiness().equals("stopping\n"));
    assertThat(stopping).isNotDone();

    go.countDown();

    stopping.get(60, TimeUnit.SECONDS);
    Upstream other = started(Upstream.charging());
    Wire.Reply retry = Wire.call(port(gateway(other)), Wire.post("/payments", key));
    assertThat(retry.text()).isEqualTo("charged");
    assertThat(retry.isReplayed()).isTrue();
  }

  @Test
  void anOperationWhoseClientHasLeftOutlivesAReload() throws Exception {
    go.countDown();
    CountDownLatch late = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(late, 201, "late"));
    Limits hasty = limits().answerTimeout(Duration.ofSeconds(1));
    Gateway reloaded = gateway(upstream, c -> c.limits(hasty));
    String request = Wire.post("/payments", "late");
    try (Wire wire = new Wire(port(reloaded))) {
      wire.send(request);
      until(() -> upstream.asked().size() == 1);
    }
    until(() -> reloaded.metrics().open().get() == 0);
    reloaded.reload(config(started(Upstream.charging()).url()).build());
    // A connection that nothing waited for would be closed after answer-timeout and a second.
    Thread.sleep(3000);

    late.countDown();

    until(() -> Wire.call(port(reloaded), request).text().equals("late"));
  }

  @Test
  void whoeverElseClosesTheGatewayWaitsForItsEndToo() throws Exception {
    CompletableFuture<Void> first = CompletableFuture.runAsync(gateway::close, THREADS);
    until(() -> readiness().equals("stopping\n"));
    CompletableFuture<Void> entered = new CompletableFuture<>();
    CompletableFuture<Void> second = new CompletableFuture<>();
    Thread other =
        new Thread(
            () -> {
              entered.complete(null);
              gateway.close();
              second.complete(null);
            });
    other.start();
    entered.get(60, TimeUnit.SECONDS);
    // Held by the first, or gone.
    until(() -> other.getState() == Thread.State.WAITING || !other.isAlive());

    assertThat(second).as("the store may be closed after this").isNotDone();

    go.countDown();
    assertThat(running.read().text()).isEqualTo("charged");
    first.get(60, TimeUnit.SECONDS);
    second.get(60, TimeUnit.SECONDS);
  }

  @Test
  void outcomesThatWaitForASilentStoreGetTheRestOfTheTimeToStop() throws Exception {
    go.countDown();
    Duration deadline = Duration.ofMillis(200);
    AtomicBoolean isSilent = new AtomicBoolean();
    Store silent =
        Intercepted.store(
            store,
            (method, inside) -> {
              if (isSilent.get() && method.equals("complete")) {
                throw new NoAnswerException("silent", null);
              }
              return inside.call();
            });
    CountDownLatch late = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(late, 201, "late"));
    Limits limits = limits().storeDeadline(deadline).stopWithin(Duration.ofMinutes(1));
    Gateway stopped = started(Gateway.start(config(upstream.url()).limits(limits).build(), silent));
    Wire client = started(new Wire(port(stopped))).send(Wire.post("/payments", "late"));
    until(() -> upstream.asked().size() == 1);

    isSilent.set(true);
    late.countDown();
    CompletableFuture<Void> stopping = CompletableFuture.runAsync(stopped::close, THREADS);
    Wire.Reply reply = client.read();
    assertThat(reply.problem()).as("%s", reply).isEqualTo("store-unavailable");
    until(() -> stopped.isStopped());
    long since = System.nanoTime();
    until(() -> System.nanoTime() - since > deadline.multipliedBy(5).toNanos());
    assertThat(stopping).as("it still waits for the store").isNotDone();
    isSilent.set(false);

    stopping.get(30, TimeUnit.SECONDS);
    Wire.Reply retry =
        Wire.call(port(gateway(started(Upstream.charging()))), Wire.post("/payments", "late"));
    assertThat(retry.text()).isEqualTo("late");
    assertThat(retry.isReplayed()).isTrue();
  }
}
